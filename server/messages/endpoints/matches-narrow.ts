import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { fitsIn, MAX_LIST_BYTES } from '#lib/errors/response-limit.ts'
import { badNarrow } from '../narrow/refusals.ts'
import { narrowJson, prepareTerms } from '../narrow/term.ts'
import { matchNarrow } from '../reading/match-narrow.ts'

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
