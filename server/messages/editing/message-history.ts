import { z } from 'zod'
import { displayTopic } from '#channels/topic.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Realm } from '#realms/realm.ts'
import { diffHtml } from '../content/html-diff.ts'
import type { Message } from '../message.ts'
import { type EditEntry, parseHistory, trimHistory, visibleHistory } from './edit-history.ts'

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
export function messageVersions(realm: Realm, message: Message, allowsEmptyTopic: boolean): Version[] {
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
