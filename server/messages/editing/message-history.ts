import { z } from 'zod'
import { refusal } from '../../base/refusal.ts'
import type { Realm } from '../../realms/realm.ts'
import { diffHtml } from '../content/html-diff.ts'
import type { Message } from '../message.ts'
import { shownTopic } from '../topic.ts'
import { type EditEntry, readHistory, visibleHistory } from './edit-history.ts'

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

/** The versions of a message, oldest first, as far as the organization shows them. */
export function messageVersions(realm: Realm, message: Message, allowsEmptyTopic: boolean): Version[] {
  const policy = realm.settings.message_edit_history_visibility_policy
  if (policy === 'none') throw historyDisabled()
  const shown = (topic: string) => shownTopic(topic, allowsEmptyTopic || message.channelId === null)

  const versions: Version[] = []
  let state: State = { topic: message.topic, content: message.content, rendered_content: message.renderedContent }
  for (const entry of visibleHistory(readHistory(message.editHistory), policy)) {
    versions.push(toVersion(state, entry, shown))
    state = before(state, entry)
  }
  const sent = { ...state, topic: shown(state.topic), timestamp: Math.floor(message.sentAt), user_id: message.senderId }
  return [sent, ...versions.reverse()]
}

function before(state: State, { prev_topic, prev_content, prev_rendered_content }: EditEntry): State {
  return {
    topic: prev_topic ?? state.topic,
    content: prev_content ?? state.content,
    rendered_content: prev_rendered_content ?? state.rendered_content,
  }
}

function toVersion(state: State, entry: EditEntry, shown: (topic: string) => string): Version {
  const { prev_topic, prev_rendered_content } = entry
  return {
    ...entry,
    ...state,
    topic: shown(state.topic),
    ...(prev_topic !== undefined && { prev_topic: shown(prev_topic) }),
    ...(prev_rendered_content !== undefined && {
      content_html_diff: diffHtml(prev_rendered_content, state.rendered_content),
    }),
  }
}
