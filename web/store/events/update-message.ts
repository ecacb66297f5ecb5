import { removeArrivals } from '../messages/arrivals.ts'
import type { Message } from '../messages/message.ts'
import { cachedTimelines, refreshTimelines, removeMessages, updateMessages } from '../messages/messages.ts'
import { emitTopicMoved } from '../messages/moved-topics.ts'
import { type ConversationRef, isMentioned, isSameTopic, matchesNarrow, type Narrow } from '../messages/narrow.ts'
import type { Timeline } from '../messages/timeline.ts'
import { refreshTopics } from '../messages/topics.ts'
import { withMention, withMoved } from '../messages/unread.ts'
import { updateUnread } from '../messages/unread-messages.ts'
import type { EventOf } from './event.ts'

type Update = EventOf<'update_message'>

/** Applies an edit, a move, or both. `channelName` finds the name of the channel that messages were moved to. */
export function applyMessageUpdate(
  update: Update,
  ownId: number,
  channelName: (id: number) => string | undefined,
): void {
  if (update.rendered_content !== undefined) {
    updateMessages([update.message_id], (message) => edited(message, update))
    updateUnread((unread) => withMention(unread, update.message_id, isMentioned(update.flags)))
  }
  const isMove = update.subject !== undefined || update.new_stream_id !== undefined
  if (!isMove) return
  removeArrivals(update.message_ids)
  const name = update.new_stream_id === undefined ? undefined : channelName(update.new_stream_id)
  updateMessages(update.message_ids, (message) => moved(message, update, name))
  updateUnread((unread) => withMoved(unread, update.message_ids, (from) => movedConversation(from, update)))
  refreshTopics([update.stream_id, update.new_stream_id].filter((id) => id !== undefined))
  const ids = new Set(update.message_ids)
  emitIfTopicMoved(update, ids, ownId)
  removeMessages((message, narrow) => ids.has(message.id) && matchesNarrow(narrow, message, ownId) === false)
  refreshTimelines((narrow) => isTarget(narrow, update))
}

function edited(message: Message, { rendered_content, is_me_message, rendering_only, ...update }: Update): Message {
  const { match_content: _, ...others } = message
  return {
    ...others,
    content: rendered_content ?? message.content,
    is_me_message: is_me_message ?? message.is_me_message,
    flags: update.flags,
    ...(!rendering_only && { last_edit_timestamp: update.edit_timestamp }),
  }
}

function moved(message: Message, update: Update, channelName: string | undefined): Message {
  const { match_subject: _, ...others } = message
  return {
    ...others,
    subject: update.subject ?? message.subject,
    topic_links: update.topic_links ?? message.topic_links,
    ...(update.new_stream_id !== undefined && { stream_id: update.new_stream_id }),
    ...(channelName !== undefined && { display_recipient: channelName }),
    last_moved_timestamp: update.edit_timestamp,
  }
}

/** Emits the move of a topic if it moved as a whole, or if the loaded messages show that none is left in it. */
function emitIfTopicMoved(update: Update, ids: ReadonlySet<number>, ownId: number): void {
  const { user_id, stream_id, new_stream_id, orig_subject, subject, propagate_mode: mode } = update
  if (stream_id === undefined || orig_subject === undefined) return
  const from = { kind: 'topic', channelId: stream_id, topic: orig_subject } as const
  const isEmptied = ({ messages, hasOldest, hasNewest }: Timeline) =>
    hasOldest && (hasNewest || mode === 'change_later') && messages.every(({ id }) => ids.has(id))
  const known = () => cachedTimelines((narrow) => isTopic(narrow, from)).filter(({ messages }) => messages.length > 0)
  if (mode !== 'change_all' && !known().some(isEmptied)) return
  const to = { ...from, channelId: new_stream_id ?? stream_id, topic: subject ?? orig_subject }
  emitTopicMoved(from, to, user_id === ownId)
}

const isTopic = (narrow: Narrow, { channelId, topic }: { channelId: number; topic: string }) =>
  narrow.kind === 'topic' && narrow.channelId === channelId && isSameTopic(narrow.topic, topic)

const movedConversation = (from: ConversationRef, { new_stream_id, subject }: Update): ConversationRef =>
  from.kind === 'direct' ? from : { ...from, channelId: new_stream_id ?? from.channelId, topic: subject ?? from.topic }

/** Returns true if messages may have been moved into the narrow. */
function isTarget(narrow: Narrow, { stream_id, new_stream_id, subject, orig_subject }: Update): boolean {
  const channelId = new_stream_id ?? stream_id ?? 0
  if (narrow.kind === 'topic') return isTopic(narrow, { channelId, topic: subject ?? orig_subject ?? '' })
  return narrow.kind === 'channel' && new_stream_id !== undefined && narrow.channelId === new_stream_id
}
