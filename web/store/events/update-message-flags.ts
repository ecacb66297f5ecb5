import { holdUnread } from '../messages/mark-read.ts'
import { refreshTimelines, removeMessages, updateMessages } from '../messages/messages.ts'
import { type ConversationRef, toParticipants } from '../messages/narrow.ts'
import { NOTHING_UNREAD, type Unread, withoutUnread, withUnread } from '../messages/unread.ts'
import { updateUnread } from '../messages/unread-messages.ts'
import { updateOrganization } from '../organization.ts'
import type { EventOf } from './event.ts'

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
