import { z } from 'zod'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { fitsIn, MAX_LIST_BYTES } from '#lib/protocol.ts'
import { readNarrow } from '../narrow/filter.ts'
import { selectAmong } from '../narrow/select-ids.ts'
import { badNarrow, narrowJson, prepareTerms, type Term } from '../narrow.ts'
import { findUserMessages } from '../queries.ts'
import { type MatchJson, toMatchJson } from './list-messages.ts'

/**
 * Finds those of the given messages that match the narrow and that the actor may read. Returns their text, with search
 * matches highlighted, by message id.
 */
async function matchNarrow(
  viewer: Viewer,
  { messageIds, terms }: { messageIds: readonly number[]; terms: readonly Term[] },
): Promise<Map<number, MatchJson>> {
  const { db, actor } = viewer
  const filter = await readNarrow(viewer, terms)
  const found = await findUserMessages(db, actor.id, selectAmong(db, filter, messageIds))
  return new Map(found.map((message) => [message.id, toMatchJson(message, filter.hints.phrases ?? [])]))
}

const tooLargeToMatch = refusal(
  'BAD_REQUEST',
  400,
  'The messages are too large for one response. Request fewer messages.',
)

export const getMatchesNarrow = endpoint({
  route: 'GET /messages/matches_narrow',
  summary: 'Check whether messages match a narrow',
  who: 'user',
  params: {
    msg_ids: z.array(z.int()),
    narrow: narrowJson.describe('The filters: pairs of operator and operand, or objects that can be negated.'),
  },
  returns: {
    messages: z
      .record(z.string(), z.strictObject({ match_content: z.string(), match_subject: z.string() }))
      .describe('The matching messages by id, as HTML with matches highlighted.'),
  },
  refuses: [badNarrow, tooLargeToMatch],
  async handle({ db, transaction, actor, clock }, { msg_ids: messageIds, narrow }) {
    const terms = await prepareTerms({ db, transaction }, narrow)
    const matches = await matchNarrow(viewerOf(db, actor, clock.now()), { messageIds, terms })
    const json = `"messages":${JSON.stringify(Object.fromEntries(matches))}`
    if (!fitsIn(json, MAX_LIST_BYTES)) throw tooLargeToMatch()
    return { preparedJson: json }
  },
})
