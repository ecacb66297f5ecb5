import { z } from 'zod'
import type { Realm } from '../../organizations/realms/realm.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { diffHtml } from '../content/html-diff.ts'
import type { Message } from '../message.ts'
import { shownTopic } from '../topic.ts'
import { type EditEntry, readHistory, trimHistory, visibleHistory } from './edit-history.ts'

export const historyDisabled = refusal('BAD_REQUEST', 400, 'Message edit history is disabled in this organization')

export const versionJson = z.strictObject({
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

/** A message as one edit left it, and what that edit changed; the first is the message as it was sent. */
type Version = z.infer<typeof versionJson>

type State = { topic: string; content: string; rendered_content: string }

/** How many bytes the texts of all versions may come to, and the marked differences between them. */
const MAX_TEXT_BYTES = 3_500_000
const MAX_DIFF_BYTES = 1_200_000

/**
 * The versions of a message, oldest first, as far as the organization shows them. Where they would measure too much for
 * an answer, the oldest edits are joined, and the older versions come without marked differences.
 */
export function messageVersions(realm: Realm, message: Message, allowsEmptyTopic: boolean): Version[] {
  const policy = realm.settings.message_edit_history_visibility_policy
  if (policy === 'none') throw historyDisabled()
  const shown = (topic: string) => shownTopic(topic, allowsEmptyTopic || message.channelId === null)

  const versions: Version[] = []
  let state: State = { topic: message.topic, content: message.content, rendered_content: message.renderedContent }
  const entries = visibleHistory(readHistory(message.editHistory), policy)
  let diffSpace = MAX_DIFF_BYTES
  for (const entry of trimHistory(entries, mostVersions(state, entries))) {
    const version = toVersion(state, entry, shown)
    const diff = diffSpace > 0 ? toDiff(state, entry) : undefined
    diffSpace -= Buffer.byteLength(diff ?? '')
    versions.push(diff === undefined || diffSpace < 0 ? version : { ...version, content_html_diff: diff })
    state = before(state, entry)
  }
  const sent = { ...state, topic: shown(state.topic), timestamp: Math.floor(message.sentAt), user_id: message.senderId }
  return [sent, ...versions.reverse()]
}

/** How many versions fit into an answer, each of which repeats a whole text, be it the longest. */
function mostVersions(now: State, entries: readonly EditEntry[]): number {
  let longest = sizeOf(now.content, now.rendered_content)
  for (const { prev_content = '', prev_rendered_content = '' } of entries)
    longest = Math.max(longest, sizeOf(prev_content, prev_rendered_content))
  return Math.max(1, Math.floor(MAX_TEXT_BYTES / (longest + 1)))
}

const sizeOf = (content: string, html: string) =>
  Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(JSON.stringify(html))

function before(state: State, { prev_topic, prev_content, prev_rendered_content }: EditEntry): State {
  return {
    topic: prev_topic ?? state.topic,
    content: prev_content ?? state.content,
    rendered_content: prev_rendered_content ?? state.rendered_content,
  }
}

function toVersion(state: State, entry: EditEntry, shown: (topic: string) => string): Version {
  const { prev_topic } = entry
  return {
    ...entry,
    ...state,
    topic: shown(state.topic),
    ...(prev_topic !== undefined && { prev_topic: shown(prev_topic) }),
  }
}

const toDiff = ({ rendered_content }: State, { prev_rendered_content }: EditEntry): string | undefined =>
  prev_rendered_content === undefined ? undefined : diffHtml(prev_rendered_content, rendered_content)
