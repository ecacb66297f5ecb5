import { contentEditProblem, deletionProblem, isPast, mayLeaveTopic, moveLimitFor } from '#rules/permissions.ts'
import { Role } from '#rules/role.ts'
import { isInSetting } from '../store/membership.ts'
import type { Organization } from '../store/organization.ts'
import type { Message } from './message.ts'

/** The parts of the organization that determine message actions. */
export type MessageRules = Pick<
  Organization,
  | 'user_id'
  | 'realm_users'
  | 'realm_user_groups'
  | 'subscriptions'
  | 'unsubscribed'
  | 'never_subscribed'
  | 'realm_allow_message_editing'
  | 'realm_enable_read_receipts'
  | 'realm_message_content_edit_limit_seconds'
  | 'realm_message_content_delete_limit_seconds'
  | 'realm_message_edit_history_visibility_policy'
  | 'realm_move_messages_within_stream_limit_seconds'
  | 'realm_move_messages_between_streams_limit_seconds'
  | 'realm_can_delete_any_message_group'
  | 'realm_can_delete_own_message_group'
  | 'realm_can_move_messages_between_channels_group'
  | 'realm_can_move_messages_between_topics_group'
>

type Permission = Extract<keyof MessageRules, `realm_can_${string}`>

const has = (rules: MessageRules, permission: Permission) =>
  isInSetting(rules.realm_user_groups, rules.user_id, rules[permission])

/** Returns the message in the form that the server's rules expect. */
const ruleMessage = ({ sender_id, timestamp }: Message) => ({ senderId: sender_id, sentAt: timestamp })

/**
 * Returns the time until which the user may edit the message, in UNIX seconds. Returns null if there is no limit, and
 * `undefined` if the user may not edit the message.
 */
export function editableUntil(rules: MessageRules, message: Message): number | null | undefined {
  const { user_id, realm_allow_message_editing: isAllowed, realm_message_content_edit_limit_seconds: limit } = rules
  const problem = contentEditProblem(user_id, ruleMessage(message), { isAllowed, limit: null }, 0)
  if (problem !== null || message.submessages.length > 0) return
  return limit === null ? null : message.timestamp + limit
}

/** Returns true if the user may edit the message. `now` is in UNIX seconds here and in the functions below. */
export function mayEdit(rules: MessageRules, message: Message, now: number): boolean {
  const until = editableUntil(rules, message)
  return until === null || (until !== undefined && now <= until)
}

export function mayDelete(rules: MessageRules, message: Message, now: number): boolean {
  const may = {
    isOwn: isOwn(rules, message),
    deletesAny: has(rules, 'realm_can_delete_any_message_group'),
    deletesOwn: has(rules, 'realm_can_delete_own_message_group'),
    limit: rules.realm_message_content_delete_limit_seconds,
  }
  return deletionProblem(ruleMessage(message), may, now) === null
}

/** Returns true if the user or one of their bots sent the message. */
function isOwn({ user_id, realm_users }: MessageRules, { sender_id }: Message): boolean {
  if (sender_id === user_id) return true
  return realm_users.some((person) => person.user_id === sender_id && person.bot_owner_id === user_id)
}

/** Returns true if the user may move the message to another topic. Anyone may name an unnamed topic. */
export function mayMoveToTopic(rules: MessageRules, message: Message, now: number): boolean {
  if (message.type !== 'stream') return false
  if (!mayLeaveTopic(message.subject, has(rules, 'realm_can_move_messages_between_topics_group'))) return false
  return isYoung(rules, message, rules.realm_move_messages_within_stream_limit_seconds, now)
}

/** Returns true if the user may move the message to another channel. */
export function mayMoveToChannel(rules: MessageRules, message: Message, now: number): boolean {
  if (message.type !== 'stream' || !has(rules, 'realm_can_move_messages_between_channels_group')) return false
  return isYoung(rules, message, rules.realm_move_messages_between_streams_limit_seconds, now)
}

function isYoung(rules: MessageRules, message: Message, limit: number | null, now: number): boolean {
  const { role = Role.member } = rules.realm_users.find(({ user_id }) => user_id === rules.user_id) ?? {}
  return !isPast(ruleMessage(message), moveLimitFor({ role }, limit), now)
}

/** Returns true if the message has an edit history that the user may see. */
export function maySeeHistory(rules: MessageRules, message: Message): boolean {
  const { realm_message_edit_history_visibility_policy: policy } = rules
  const { last_edit_timestamp, last_moved_timestamp } = message
  if (policy === 'none') return false
  return last_moved_timestamp !== undefined || (policy === 'all' && last_edit_timestamp !== undefined)
}

/** Returns true if the user may mark the message as unread. Channel messages require a subscription to the channel. */
export function mayMarkUnread({ subscriptions }: MessageRules, message: Message): boolean {
  return message.type === 'private' || subscriptions.some(({ stream_id }) => stream_id === message.stream_id)
}

/** Returns true unless the message is in an archived channel. */
export function isConversationOpen(
  { subscriptions, unsubscribed, never_subscribed }: MessageRules,
  { stream_id }: Message,
): boolean {
  const isArchived = (channel: { stream_id: number; is_archived: boolean }) =>
    channel.stream_id === stream_id && channel.is_archived
  return ![subscriptions, unsubscribed, never_subscribed].some((channels) => channels.some(isArchived))
}
