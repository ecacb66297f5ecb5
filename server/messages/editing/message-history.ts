import { z } from 'zod'
import { displayTopic } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import type { Realm } from '#realms/realm.ts'
import { invalidMessage, requireMessage } from '../access.ts'
import { type EditEntry, type Message, parseHistory, trimHistory, visibleHistory } from '../message.ts'

const TOKENS = /<[^>]*>|&[^;\s<]*;|[^\s<&]+|\s+|[<&]/g

/**
 * Returns the new HTML with insertions and deletions highlighted. Only the range between the first and the last
 * difference is highlighted, so that the time is linear in the length of the text.
 */
export function diffHtml(before: string, after: string): string {
  const oldTokens = before.match(TOKENS) ?? []
  const newTokens = after.match(TOKENS) ?? []
  const shorter = Math.min(oldTokens.length, newTokens.length)
  let head = 0
  while (head < shorter && oldTokens[head] === newTokens[head]) head += 1
  let tail = 0
  while (tail < shorter - head && oldTokens[oldTokens.length - 1 - tail] === newTokens[newTokens.length - 1 - tail])
    tail += 1

  const inserted = highlightText(newTokens.slice(head, newTokens.length - tail), 'inserted', true)
  const deleted = highlightText(oldTokens.slice(head, oldTokens.length - tail), 'deleted', false)
  return `<div>${newTokens.slice(0, head).join('')}${inserted}${deleted}${newTokens.slice(newTokens.length - tail).join('')}</div>`
}

/** Highlights each run of text between tags, so that elements stay properly nested. */
function highlightText(tokens: readonly string[], kind: 'inserted' | 'deleted', keepsTags: boolean): string {
  let html = ''
  let text = ''
  const flush = () => {
    if (text.trim() !== '') html += `<span class="highlight_text_${kind}">${text}</span>`
    else html += text
    text = ''
  }
  for (const token of tokens) {
    if (!isTag(token)) {
      text += token
      continue
    }
    flush()
    if (keepsTags) html += token
  }
  flush()
  return html
}

const isTag = (token: string) => token.length > 1 && token.startsWith('<')

const historyDisabled = refusal('BAD_REQUEST', 400, 'Message edit history is disabled in this organization')

const versionJson = z.strictObject({
  topic: z.string(),
  content: z.string(),
  rendered_content: z.string(),
  timestamp: z.int(),
  user_id: z.int().nullable(),
  prev_topic: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  content_html_diff: z.string().optional(),
})

/** A message after an edit, with the changes of that edit. The first version is the original message. */
type Version = z.infer<typeof versionJson>

type Snapshot = { topic: string; content: string; rendered_content: string }

/**
 * The maximum total size of the content of all versions, and of the highlighted differences between versions, in bytes.
 */
const MAX_TEXT_BYTES = 3_500_000
const MAX_DIFF_BYTES = 1_200_000

/**
 * Returns the versions of a message that the organization's policy shows, oldest first. If they are too large for a
 * response, the oldest edits are merged, and older versions have no highlighted differences.
 */
function messageVersions(realm: Realm, message: Message, allowsEmptyTopic: boolean): Version[] {
  const policy = realm.settings.message_edit_history_visibility_policy
  if (policy === 'none') throw historyDisabled()
  const displayed = (topic: string) => displayTopic(topic, allowsEmptyTopic || message.channelId === null)

  const versions: Version[] = []
  let state: Snapshot = { topic: message.topic, content: message.content, rendered_content: message.renderedContent }
  const entries = visibleHistory(parseHistory(message.editHistory), policy)
  let diffSpace = MAX_DIFF_BYTES
  for (const entry of trimHistory(entries, maxVersions(state, entries))) {
    const version = toVersion(state, entry, displayed)
    const diff = diffSpace > 0 ? toDiff(state, entry) : undefined
    diffSpace -= Buffer.byteLength(diff ?? '')
    versions.push(diff === undefined || diffSpace < 0 ? version : { ...version, content_html_diff: diff })
    state = before(state, entry)
  }
  const original = {
    ...state,
    topic: displayed(state.topic),
    timestamp: Math.floor(message.sentAt),
    user_id: message.senderId,
  }
  return [original, ...versions.reverse()]
}

/** Returns the number of versions that fit into a response if all are as long as the longest one. */
function maxVersions(now: Snapshot, entries: readonly EditEntry[]): number {
  let longest = sizeOf(now.content, now.rendered_content)
  for (const { prev_content = '', prev_rendered_content = '' } of entries)
    longest = Math.max(longest, sizeOf(prev_content, prev_rendered_content))
  return Math.max(1, Math.floor(MAX_TEXT_BYTES / (longest + 1)))
}

const sizeOf = (content: string, html: string) =>
  Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(JSON.stringify(html))

function before(state: Snapshot, { prev_topic, prev_content, prev_rendered_content }: EditEntry): Snapshot {
  return {
    topic: prev_topic ?? state.topic,
    content: prev_content ?? state.content,
    rendered_content: prev_rendered_content ?? state.rendered_content,
  }
}

function toVersion(state: Snapshot, entry: EditEntry, displayed: (topic: string) => string): Version {
  const { prev_topic } = entry
  return {
    ...entry,
    ...state,
    topic: displayed(state.topic),
    ...(prev_topic !== undefined && { prev_topic: displayed(prev_topic) }),
  }
}

const toDiff = ({ rendered_content }: Snapshot, { prev_rendered_content }: EditEntry): string | undefined =>
  prev_rendered_content === undefined ? undefined : diffHtml(prev_rendered_content, rendered_content)

export const getMessageHistory = endpoint({
  route: 'GET /messages/{message_id}/history',
  summary: "List a message's versions",
  who: 'user',
  params: { allow_empty_topic_name: z.boolean().default(false) },
  returns: { message_history: z.array(versionJson).describe('Oldest first, starting with the original message.') },
  refuses: [invalidMessage, historyDisabled],
  async handle({ db, actor, clock, rerenderJob }, params) {
    const { message } = await requireMessage(viewerOf(db, actor, clock.now()), params.message_id)
    rerenderJob.rerenderOutdated([message])
    return { message_history: messageVersions(actor.realm, message, params.allow_empty_topic_name) }
  },
})
