import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { MESSAGES_PER_UNIT } from '#http/limits/work.ts'
import {
  flagNotEditable,
  invalidFlag,
  invalidFlagOperation,
  requireEditableFlag,
  requireFlagOperation,
} from '../flags/update-flags.ts'
import { updateFlagsInNarrow } from '../flags/update-flags-in-narrow.ts'
import { badNarrow } from '../narrow/refusals.ts'
import { narrowJson, prepareTerms } from '../narrow/term.ts'
import { anchorParam, includeAnchorParam, rangeRefusals, readRange } from './message-range.ts'

export const postFlagsInNarrow = endpoint({
  route: 'POST /messages/flags/narrow',
  summary: 'Add or remove a personal flag on the messages of a narrow',
  who: 'user',
  params: {
    anchor: anchorParam,
    include_anchor: includeAnchorParam,
    num_before: z.int().min(0),
    num_after: z.int().min(0),
    narrow: narrowJson.describe('The filters: pairs of operator and operand, or objects that can be negated.'),
    op: z.string().meta({ enum: ['add', 'remove'] }),
    flag: z.string().describe('`read`, `starred` or `collapsed`.'),
  },
  returns: {
    processed_count: z.int().describe('The number of messages in the range.'),
    updated_count: z.int().describe('The number of these messages that changed.'),
    first_processed_id: z.int().nullable(),
    last_processed_id: z.int().nullable(),
    found_oldest: z.boolean(),
    found_newest: z.boolean(),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe('Channels that you are not subscribed to. Their messages cannot be marked as unread.'),
  },
  refuses: [badNarrow, invalidFlagOperation, invalidFlag, flagNotEditable, ...rangeRefusals],
  async handle(call, { narrow, op, flag: name, ...given }) {
    const { transaction, actor } = call
    const range = readRange(given)
    const terms = await prepareTerms(call, narrow)
    const request = { terms, range, op: requireFlagOperation(op), flag: requireEditableFlag(name) }
    const { page, outcome } = await transaction((tx) => updateFlagsInNarrow(tx, actor, request))
    call.charge(page.rows.length / MESSAGES_PER_UNIT)
    return {
      processed_count: page.rows.length,
      updated_count: outcome.changedCount,
      first_processed_id: page.rows[0]?.id ?? null,
      last_processed_id: page.rows.at(-1)?.id ?? null,
      found_oldest: page.foundOldest,
      found_newest: page.foundNewest,
      ignored_because_not_subscribed_channels: outcome.ignoredChannelIds,
    }
  },
})
