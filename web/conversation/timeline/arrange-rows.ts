import { shallow } from '@tanstack/react-store'
import type { Message } from '../../messages/message.ts'
import { isSameTopic } from '../../messages/narrow.ts'
import { dayOf } from '../../ui/moments.ts'

/** The time within which messages of one sender form a group, in seconds. */
export const GROUP_TIME = 600

/** A message of a timeline, and what is shown above it. */
export type TimelineRow = {
  readonly message: Message
  /** True for the first message of a day. */
  readonly startsDay: boolean
  /** True if this is the first message of a day, or if the previous message belongs to another conversation. */
  readonly startsConversation: boolean
  /** True for the first unread message. */
  readonly startsUnread: boolean
  /** True if the message continues a group of its sender. Its sender and time are then not shown again. */
  readonly isGrouped: boolean
}

/** Arranges consecutive messages, oldest first. */
export function arrangeRows(messages: readonly Message[], firstUnreadId: number | null): TimelineRow[] {
  return messages.map((message, at) => {
    const before = messages[at - 1]
    const startsDay = before === undefined || dayOf(before.timestamp) !== dayOf(message.timestamp)
    const startsConversation = startsDay || !isSameConversation(before, message)
    const startsUnread = message.id === firstUnreadId
    const isGrouped = !startsConversation && !startsUnread && continues(before, message)
    return { message, startsDay, startsConversation, startsUnread, isGrouped }
  })
}

/** Arranges messages that are not in chronological order. Each row shows its conversation and day. */
export const arrangeApart = (messages: readonly Message[]): TimelineRow[] =>
  messages.map((message) => ({
    message,
    startsDay: true,
    startsConversation: true,
    startsUnread: false,
    isGrouped: false,
  }))

/**
 * Returns true if the message continues the previous message's group. Messages with `/me` never continue a group,
 * because their text names the sender.
 */
const continues = (before: Message, message: Message): boolean =>
  before.sender_id === message.sender_id &&
  before.sender_full_name === message.sender_full_name &&
  message.timestamp - before.timestamp <= GROUP_TIME &&
  !message.is_me_message &&
  !before.is_me_message

const isSameConversation = (one: Message, other: Message): boolean =>
  one.type === other.type &&
  one.stream_id === other.stream_id &&
  one.recipient_id === other.recipient_id &&
  isSameTopic(one.subject, other.subject)

/**
 * Returns true if two states of a message look the same. They may differ in whether the message is read, because a row
 * does not show that. While the user scrolls, hundreds of messages become read.
 */
export function areSameButRead(one: Message, other: Message): boolean {
  if (one === other) return true
  const names = Object.keys(one) as (keyof Message)[]
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name === 'flags' || Object.is(one[name], other[name])) &&
    shallow(withoutRead(one.flags), withoutRead(other.flags))
  )
}

const withoutRead = (flags: readonly string[]) => flags.filter((flag) => flag !== 'read')
