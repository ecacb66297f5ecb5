import { directConversations, withMessage } from '../../messages/conversations.ts'
import { holdUnread, markSeen } from '../../messages/mark-read.ts'
import { isOwnNotice, type Message } from '../../messages/message.ts'
import { announceMessage, emitMessageArrived, emitMessagesDeleted } from '../../messages/message-announcements.ts'
import {
  addMessage,
  cachedTimelines,
  isPending,
  refreshTimelines,
  removeMessages,
  updateMessages,
} from '../../messages/messages.ts'
import {
  type ConversationRef,
  conversationOf,
  isMentioned,
  isSameTopic,
  matchesNarrow,
  type Narrow,
  peopleOf,
  toParticipants,
  topicTitle,
} from '../../messages/narrow.ts'
import { removeSent } from '../../messages/outgoing.ts'
import { confirmOutgoing } from '../../messages/send-outgoing.ts'
import { removeArrivals, type Timeline } from '../../messages/timeline.ts'
import { addTopic, emitTopicMoved, refreshTopics } from '../../messages/topics.ts'
import { addTypist, removeTypist, type TypingContext } from '../../messages/typists.ts'
import {
  isTopicMuted,
  NOTHING_UNREAD,
  type Unread,
  updateUnread,
  withMention,
  withMoved,
  withoutUnread,
  withUnread,
} from '../../messages/unread.ts'
import { currentOrganization, updateOrganization } from '../../store/organization.ts'
import type { EventOf } from '../../store/registration.ts'
import { t } from '../../text/t.ts'

export function applyMessage(event: EventOf<'message'>, ownId: number): void {
  const organization = currentOrganization()
  const isOwn = !event.flags.includes('read') && organization !== undefined && isOwnNotice(event.message, organization)
  const message: Message = { ...event.message, flags: isOwn ? [...event.flags, 'read'] : event.flags }
  if (isOwn) markSeen([message.id])
  const isQuiet = isMuted(message)
  if (event.local_message_id !== undefined) confirmOutgoing(event.local_message_id, message.id)
  addMessage(
    message,
    (narrow) => matchesNarrow(narrow, message, ownId) === true && !(isQuiet && narrow.kind === 'combined'),
  )
  if (message.stream_id === undefined)
    directConversations.set(withMessage(directConversations.get(), peopleOf(message, ownId), message.id))
  else addTopic(message.stream_id, message.subject, message.id)
  if (!message.flags.includes('read'))
    updateUnread((unread) => withUnread(unread, message.id, conversationOf(message, ownId), isMentioned(message.flags)))
  removeTypist(conversationOf(message, ownId), message.sender_id)
  if (message.sender_id === ownId) return
  emitMessageArrived(message)
  const isSilent = message.flags.includes('read') || (isQuiet && !isMentioned(message.flags))
  if (isSilent) return
  if (message.type === 'stream')
    announceMessage(`${String(message.display_recipient)} › ${topicTitle(message.subject)}`)
  else announceMessage(t('direct messages with {name}', { name: message.sender_full_name }))
}

function isMuted({ stream_id, subject }: Message): boolean {
  return stream_id !== undefined && isTopicMuted.get()(stream_id, subject)
}

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
  removeSent(update.message_ids)
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

export function applyDeletion({ message_ids: ids = [], stream_id }: EventOf<'delete_message'>): void {
  const deleted = new Set(ids)
  emitMessagesDeleted(deleted)
  removeArrivals(ids)
  removeSent(ids)
  removeMessages(({ id }) => deleted.has(id))
  if (stream_id !== undefined) refreshTopics([stream_id])
  updateUnread((unread) => withoutUnread(unread, ids))
  updateOrganization(({ starred_messages }) =>
    starred_messages.some((id) => deleted.has(id))
      ? { starred_messages: starred_messages.filter((id) => !deleted.has(id)) }
      : {},
  )
}

type FlagsEvent = EventOf<'update_message_flags'>
type Details = NonNullable<Extract<FlagsEvent, { op: 'remove' }>['message_details']>[string]

export function applyMessageFlags(event: FlagsEvent, ownId: number): void {
  const { op, flag, messages, all } = event
  if (flag === 'read' && op === 'remove') holdUnread(messages)
  updateMessages(all ? 'all' : messages, (message) => {
    if (message.flags.includes(flag) === (op === 'add')) return message
    const others = message.flags.filter((one) => one !== flag)
    return { ...message, flags: op === 'add' ? [...others, flag] : others }
  })
  if (flag === 'read') updateUnread((unread) => unreadAfterEvent(unread, event, ownId))
  if (flag !== 'starred') return
  updateOrganization(({ starred_messages }) => {
    const others = starred_messages.filter((id) => !messages.includes(id))
    return { starred_messages: op === 'add' ? [...others, ...messages] : others }
  })
  if (op === 'add') refreshTimelines(({ kind }) => kind === 'starred')
  else removeMessages(({ id }, { kind }) => kind === 'starred' && messages.includes(id))
}

function unreadAfterEvent(unread: Unread, event: FlagsEvent, ownId: number): Unread {
  if (event.op === 'add') return event.all ? NOTHING_UNREAD : withoutUnread(unread, event.messages)
  return Object.entries(event.message_details ?? {}).reduce(
    (unread, [id, details]) =>
      withUnread(unread, Number(id), toConversation(details, ownId), details.mentioned ?? false),
    unread,
  )
}

const toConversation = ({ stream_id, topic = '', user_ids = [] }: Details, ownId: number): ConversationRef =>
  stream_id === undefined
    ? { kind: 'direct', people: toParticipants(user_ids, ownId) }
    : { kind: 'topic', channelId: stream_id, topic }

export function applyReaction(event: EventOf<'reaction'>): void {
  const { op, message_id, emoji_name, emoji_code, reaction_type, user_id } = event
  updateMessages([message_id], (message) => {
    const others = message.reactions.filter(
      (one) => !(one.user_id === user_id && one.emoji_code === emoji_code && one.reaction_type === reaction_type),
    )
    const reaction = { emoji_name, emoji_code, reaction_type, user_id }
    return { ...message, reactions: op === 'add' ? [...others, reaction] : others }
  })
  // The first reaction to a message adds the message to this feed, and removing the last reaction removes the message.
  refreshTimelines(({ kind }) => kind === 'reactions')
}

/**
 * Adds a change to a poll or to-do list. If the page already shows this change as pending, replaces the pending one.
 * Does nothing if the message was loaded after the change and already contains it.
 */
export function applySubmessage(event: EventOf<'submessage'>): void {
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event
  const added = { id, message_id, sender_id, msg_type, content }
  updateMessages([message_id], (message) => {
    const { submessages } = message
    if (submessages.some((one) => one.id === id)) return message
    const shown = submessages.findIndex(
      (one) => isPending(one) && one.sender_id === sender_id && one.content === content,
    )
    return { ...message, submessages: shown === -1 ? [...submessages, added] : submessages.with(shown, added) }
  })
}

type Typing = EventOf<'typing'>

export function applyTyping(event: Typing, ownId: number): void {
  const { op, sender } = event
  const conversation = conversationOfTyping(event, ownId)
  if (conversation !== null && sender.user_id !== ownId) updateTypists(op, conversation, sender.user_id)
}

export function applyEditTyping({ op, sender_id, message_id }: EventOf<'typing_edit_message'>): void {
  updateTypists(op, { kind: 'message', id: message_id }, sender_id)
}

function updateTypists(op: Typing['op'], context: TypingContext, userId: number): void {
  const lifetime = currentOrganization()?.server_typing_started_expiry_period_milliseconds
  if (op === 'stop') removeTypist(context, userId)
  else if (lifetime !== undefined) addTypist(context, userId, lifetime)
}

function conversationOfTyping({ recipients, stream_id, topic }: Typing, ownId: number): ConversationRef | null {
  if (stream_id !== undefined && topic !== undefined) return { kind: 'topic', channelId: stream_id, topic }
  if (recipients === undefined) return null
  const ids = recipients.map(({ user_id }) => user_id)
  return { kind: 'direct', people: toParticipants(ids, ownId) }
}
