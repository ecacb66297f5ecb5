import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { readingWork } from '../../http/work.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { badNarrow } from '../narrow/refusals.ts'
import { narrowJson, prepareTerms } from '../narrow/term.ts'
import { listMessages, listMessagesById } from '../reading/list-messages.ts'
import { messageJson } from '../reading/message-json.ts'
import { extraEmojiType } from './extra-emoji-type.ts'
import { anchorParam, includeAnchorParam, rangeRefusals, readRange } from './message-range.ts'

const unsupportedCombination = refusal('BAD_REQUEST', 400, 'Unsupported parameter combination: {names}')

const listedMessageJson = messageJson.extend({
  match_content: z.string().optional().describe('Of a search: the HTML, what was searched for marked in it.'),
  match_subject: z.string().optional().describe('Of a search: the topic as HTML, what was searched for marked in it.'),
})

const falseForIds = 'False when `message_ids` was given.'

const foundNothing = JSON.stringify({
  found_anchor: false,
  found_oldest: false,
  found_newest: false,
  history_limited: false,
}).slice(1, -1)

export const getMessages = endpoint({
  route: 'GET /messages',
  summary: 'Fetch messages of a narrow',
  description:
    'Without a narrow these are the messages that one has received; a channel that one may read, or `channels:public`, ' +
    'brings what was sent there to others, too. Messages that may not be read are in no answer. Messages that ' +
    'measure more than an answer of 8 MB holds are left out: those that are farthest from the anchor, which `found_oldest` ' +
    'and `found_newest` tell, or the last ones of `message_ids`.',
  who: 'user',
  params: {
    anchor: anchorParam.optional(),
    include_anchor: includeAnchorParam,
    num_before: z
      .int()
      .min(0)
      .optional()
      .describe('How many messages before the anchor; none if omitted. 5,000 both together at most.'),
    num_after: z.int().min(0).optional(),
    narrow: narrowJson
      .default([])
      .describe('Conditions: pairs of operator and operand, or objects that may be negated.'),
    client_gravatar: z
      .boolean()
      .default(true)
      .describe('Whether `avatar_url` is null for pictures that clients compute.'),
    apply_markdown: z.boolean().default(true).describe('Whether `content` is HTML rather than Markdown.'),
    use_first_unread_anchor: z.boolean().default(false).describe('The old way to say `anchor=first_unread`.'),
    message_ids: z.array(z.int()).nullish().describe('These messages, in place of a range.'),
    allow_empty_topic_name: z.boolean().default(false),
  },
  returns: {
    messages: z.array(listedMessageJson).describe('In ascending order of their ids.'),
    anchor: z
      .number()
      .meta({ type: 'integer' })
      .optional()
      .describe('The anchor as an id. Absent when `message_ids` was given.'),
    found_anchor: z.boolean().describe(`Whether the message of the anchor is there. ${falseForIds}`),
    found_oldest: z.boolean().describe(`Whether the narrow has nothing older. ${falseForIds}`),
    found_newest: z.boolean().describe(`Whether the narrow has nothing newer. ${falseForIds}`),
    history_limited: z.boolean().describe('Always false: no history is held back.'),
  },
  refuses: [badNarrow, unsupportedCombination, ...rangeRefusals],
  async handle(call, params) {
    const { db, actor, rerenderer } = call
    const format = {
      appliesMarkdown: params.apply_markdown,
      allowsEmptyTopic: params.allow_empty_topic_name,
      computesGravatar: params.client_gravatar,
      extraEmojiType: extraEmojiType(call),
    }
    const terms = await prepareTerms(call, params.narrow)
    const isSearch = terms.some(({ operator }) => operator === 'search')
    const now = call.clock.now()
    const { message_ids: messageIds } = params
    if (messageIds !== undefined && messageIds !== null) {
      requireNoRange(params)
      const { found, rows } = await listMessagesById(db, actor, { terms, messageIds }, format, now)
      rerenderer.noteRead(found)
      call.charge(readingWork(found.length, isSearch))
      return { preparedJson: `${toMessagesJson(rows)},${foundNothing}` }
    }
    const page = await listMessages(db, actor, { terms, range: readRange(params) }, format, now)
    rerenderer.noteRead(page.found)
    call.charge(readingWork(page.found.length, isSearch))
    const rest = JSON.stringify({
      anchor: page.anchor,
      found_anchor: page.foundAnchor,
      found_oldest: page.foundOldest,
      found_newest: page.foundNewest,
      history_limited: false,
    })
    return { preparedJson: `${toMessagesJson(page.rows)},${rest.slice(1, -1)}` }
  },
})

const toMessagesJson = (rows: readonly string[]) => `"messages":[${rows.join(',')}]`

type Given = { anchor?: unknown; num_before?: unknown; num_after?: unknown; use_first_unread_anchor: boolean }

function requireNoRange({ anchor, num_before, num_after, use_first_unread_anchor }: Given): void {
  const given = { anchor, num_before, num_after, use_first_unread_anchor: use_first_unread_anchor || undefined }
  const names = Object.entries(given).filter(([, value]) => value !== undefined)
  if (names.length === 0) return
  throw unsupportedCombination({ names: [...names.map(([name]) => name), 'message_ids'].join(', ') })
}
