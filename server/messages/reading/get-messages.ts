import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { textOrJson } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { isSpectator } from '#people/users.ts'
import { extraEmojiType, messageJson } from '../message.ts'
import { NEWEST, readingWork } from '../narrow/find-page.ts'
import { badNarrow, narrowJson, prepareTerms, requireSpectatorNarrow } from '../narrow.ts'
import { listByRelevance, onlySearchesHaveRelevance } from './list-by-relevance.ts'
import { listMessages, listMessagesById, type MessagePage, type MessageRange } from './list-messages.ts'

const invalidAnchor = refusal('BAD_REQUEST', 400, 'Invalid anchor', { field: 'anchor' })
const anchorMissing = refusal('BAD_REQUEST', 400, "Missing 'anchor' argument.", { field: 'anchor' })
const tooManyMessages = refusal('BAD_REQUEST', 400, 'Too many messages requested (maximum {most}).')
const anchorExcludedWithin = refusal('BAD_REQUEST', 400, 'The anchor can only be excluded at an end of the range', {
  field: 'include_anchor',
})

export const rangeRefusals = [anchorMissing, invalidAnchor, tooManyMessages, anchorExcludedWithin]

/** The maximum number of messages per request. */
const MAX_COUNT = 5000

export const anchorParam = textOrJson(
  z.string().describe('A message id, `newest`, `oldest` or `first_unread`. The id need not be of an existing message.'),
  z.int(),
)

export const includeAnchorParam = z.boolean().default(true).describe('Whether the range includes the anchor message.')

type GivenRange = {
  anchor?: string | undefined
  include_anchor: boolean
  num_before?: number | undefined
  num_after?: number | undefined
  use_first_unread_anchor?: boolean
}

/** Reads the range from the parameters of a request. */
export function readRange(given: GivenRange): MessageRange {
  const { num_before: before = 0, num_after: after = 0, include_anchor: includesAnchor } = given
  if (before + after > MAX_COUNT) throw tooManyMessages({ most: MAX_COUNT })
  if (before > 0 && after > 0 && !includesAnchor) throw anchorExcludedWithin()
  const anchor = given.use_first_unread_anchor === true ? null : readAnchor(given.anchor)
  return { anchor, before, after, includesAnchor }
}

/** Returns the message id of the anchor, or null for the first unread message. */
function readAnchor(text: string | undefined): number | null {
  if (text === undefined) throw anchorMissing()
  if (text === 'newest') return NEWEST
  if (text === 'oldest') return 0
  if (text === 'first_unread') return null
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw invalidAnchor()
  return Math.min(Math.max(Number(text), 0), NEWEST)
}

const unsupportedCombination = refusal('BAD_REQUEST', 400, 'Unsupported parameter combination: {parameters}', {
  extras: ({ parameters }) => ({ parameters }),
})

/** The parameters that exclude each other. `order=relevance` counts as a range, too. */
const RANGE_OR_IDS = 'num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor'

/** The maximum number of messages in a response that is ordered by relevance. */
const MAX_ORDERED = 100

const unorderedRange = refusal(
  'BAD_REQUEST',
  400,
  'order=relevance needs anchor=newest, num_after=0 and num_before of at most {most}',
  { field: 'order' },
)

/** The number of messages whose comparison is as much work as returning one message. */
const COMPARED_PER_READ = 10

const listedMessageJson = messageJson.extend({
  match_content: z.string().optional().describe('For searches: the content as HTML with matches highlighted.'),
  match_subject: z.string().optional().describe('For searches: the topic as HTML with matches highlighted.'),
})

const falseForIds = 'False if `message_ids` was given.'

const foundNothing = JSON.stringify({
  found_anchor: false,
  found_oldest: false,
  found_newest: false,
  history_limited: false,
}).slice(1, -1)

export const getMessages = endpoint({
  route: 'GET /messages',
  summary: 'List messages of a narrow',
  description:
    'Without a narrow, returns the messages that you received. A narrow to a channel that you may read, or to ' +
    '`channels:public`, includes messages that you did not receive. Messages that you may not read are never returned. ' +
    'Messages beyond the response limit of 8 MB are left out: those farthest from the anchor, as shown by ' +
    '`found_oldest` and `found_newest`, or the last ones of `message_ids`. Without an account, the narrow must contain ' +
    '`channels:web-public`, and can use no operators that concern people, flags or words.',
  who: 'spectator',
  params: {
    anchor: anchorParam.optional(),
    include_anchor: includeAnchorParam,
    num_before: z
      .int()
      .min(0)
      .optional()
      .describe('The number of messages before the anchor; 0 if omitted. At most 5,000 together with `num_after`.'),
    num_after: z.int().min(0).optional(),
    narrow: narrowJson
      .default([])
      .describe('The filters: pairs of operator and operand, or objects that can be negated.'),
    client_gravatar: z
      .boolean()
      .default(true)
      .describe('Whether `avatar_url` is null for Gravatar images, whose URL clients can compute.'),
    apply_markdown: z.boolean().default(true).describe('Whether `content` is returned as HTML instead of Markdown.'),
    use_first_unread_anchor: z.boolean().default(false).describe('Deprecated form of `anchor=first_unread`.'),
    message_ids: z.array(z.int()).nullish().describe('The messages to return, instead of a range.'),
    allow_empty_topic_name: z.boolean().default(false),
    order: z
      .enum(['id', 'relevance'])
      .default('id')
      .describe(
        '`relevance` returns the best matches of a search first. It needs words to search for, `anchor=newest`, ' +
          '`num_after=0`, and a `num_before` of up to 100. The newest 300 matches are compared. This parameter is specific to Parley.',
      ),
  },
  returns: {
    messages: z
      .array(listedMessageJson)
      .describe('In ascending order of ids, or with `order=relevance` the best match first.'),
    anchor: z
      .number()
      .meta({ type: 'integer' })
      .optional()
      .describe('The id of the anchor. Absent if `message_ids` was given.'),
    found_anchor: z.boolean().describe(`True if the anchor message was found. ${falseForIds}`),
    found_oldest: z.boolean().describe(`True if the narrow has no older messages. ${falseForIds}`),
    found_newest: z.boolean().describe(`True if the narrow has no newer messages. ${falseForIds}`),
    history_limited: z.boolean().describe('Always false: the history is never limited.'),
  },
  refuses: [badNarrow, unsupportedCombination, onlySearchesHaveRelevance, unorderedRange, ...rangeRefusals],
  async handle(call, params) {
    const { db, actor, rerenderJob } = call
    const format = {
      appliesMarkdown: params.apply_markdown,
      allowsEmptyTopic: params.allow_empty_topic_name,
      computesGravatar: params.client_gravatar,
      extraEmojiType: extraEmojiType(call),
    }
    if (isSpectator(actor)) requireSpectatorNarrow(params.narrow)
    const terms = await prepareTerms(call, params.narrow)
    const isSearch = terms.some(({ operator }) => operator === 'search')
    const now = call.clock.now()
    const { message_ids: messageIds } = params
    if (messageIds !== undefined && messageIds !== null) {
      requireNoRange(params)
      const { found, rows } = await listMessagesById(viewerOf(db, actor, now), { terms, messageIds }, format)
      rerenderJob.rerenderOutdated(found)
      call.charge(readingWork(found.length, isSearch))
      return { preparedJson: `${toMessagesJson(rows)},${foundNothing}` }
    }
    const range = readRange(params)
    if (params.order === 'relevance') {
      const best = await listByRelevance(viewerOf(db, actor, now), { terms, count: requireNewest(range) }, format)
      rerenderJob.rerenderOutdated(best.found)
      call.charge(readingWork(best.found.length + best.compared / COMPARED_PER_READ, true))
      return { preparedJson: `${toMessagesJson(best.rows)},${toRangeJson(best)}` }
    }
    const page = await listMessages(viewerOf(db, actor, now), { terms, range }, format)
    rerenderJob.rerenderOutdated(page.found)
    call.charge(readingWork(page.found.length, isSearch))
    return { preparedJson: `${toMessagesJson(page.rows)},${toRangeJson(page)}` }
  },
})

const toMessagesJson = (rows: readonly string[]) => `"messages":[${rows.join(',')}]`

const toRangeJson = ({ anchor, foundAnchor, foundOldest, foundNewest }: MessagePage) =>
  JSON.stringify({
    anchor,
    found_anchor: foundAnchor,
    found_oldest: foundOldest,
    found_newest: foundNewest,
    history_limited: false,
  }).slice(1, -1)

/**
 * Returns the requested number of messages if the range ends at the newest message. Refuses other ranges, and ranges of
 * more than `MAX_ORDERED` messages.
 */
function requireNewest({ anchor, before, after }: MessageRange): number {
  if (anchor !== NEWEST || after > 0 || before > MAX_ORDERED) throw unorderedRange({ most: MAX_ORDERED })
  return before
}

type Given = {
  anchor?: unknown
  num_before?: unknown
  num_after?: unknown
  use_first_unread_anchor: boolean
  order: string
}

function requireNoRange({ anchor, num_before, num_after, use_first_unread_anchor, order }: Given): void {
  const hasRange = Boolean(num_before) || Boolean(num_after) || anchor !== undefined || use_first_unread_anchor
  if (hasRange || order !== 'id') throw unsupportedCombination({ parameters: RANGE_OR_IDS })
}
