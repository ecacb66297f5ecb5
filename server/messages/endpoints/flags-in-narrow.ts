import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import type { Actor } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { readNarrow } from '../narrow/filter.ts'
import { findFirstUnread, findPage, type MatchedRows, MESSAGES_PER_UNIT } from '../narrow/find-page.ts'
import { badNarrow, narrowJson, prepareTerms, type Term } from '../narrow.ts'
import { anchorParam, includeAnchorParam, rangeRefusals, readRange } from '../reading/get-messages.ts'
import type { MessageRange } from '../reading/list-messages.ts'
import {
  type FlagsOutcome,
  type FlagsRequest,
  flagNotEditable,
  invalidFlag,
  invalidFlagOperation,
  requireEditableFlag,
  requireFlagOperation,
  updateFlags,
} from '../update-flags.ts'

type NarrowRequest = { terms: readonly Term[]; range: MessageRange; op: FlagsRequest['op']; flag: FlagsRequest['flag'] }

/** Applies `updateFlags` to the messages of a narrow around an anchor. */
async function updateFlagsInNarrow(
  tx: Transaction,
  actor: Actor,
  { terms, range, op, flag }: NarrowRequest,
): Promise<{ page: MatchedRows<{ id: number }>; outcome: FlagsOutcome }> {
  const { db, now } = tx
  const viewer = viewerOf(db, actor, now)
  const filter = await readNarrow(viewer, terms)
  const anchor = range.anchor ?? (await findFirstUnread(viewer, filter))
  const page = await findPage(db, filter, { ...range, anchor }, (ids) =>
    db.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  const messageIds = page.rows.map((row) => row.id)
  return { page, outcome: await updateFlags(tx, actor, { messageIds, op, flag }) }
}

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
