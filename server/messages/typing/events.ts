import { apiEmail, type User } from '../../people/users/user.ts'

/** Whether somebody begins or goes on to type, or has stopped. */
export type TypingOp = 'start' | 'stop'

type Typing = { op: TypingOp; sender: User }

type ServerAddress = { realm: { subdomain: string }; externalUrl: string }

type PersonJson = { user_id: number; email: string }

/** `recipients` is the whole conversation, the sender included. */
export function directTypingEvent({ op, sender }: Typing, people: readonly User[], address: ServerAddress) {
  return {
    type: 'typing',
    op,
    message_type: 'direct',
    sender: toPersonJson(sender, address),
    recipients: people.map((user) => toPersonJson(user, address)),
  }
}

export function channelTypingEvent(
  { op, sender }: Typing,
  thread: { channelId: number; topic: string },
  address: ServerAddress,
) {
  return {
    type: 'typing',
    op,
    message_type: 'stream',
    sender: toPersonJson(sender, address),
    stream_id: thread.channelId,
    topic: thread.topic,
  }
}

export type EditRecipient =
  | { type: 'direct'; user_ids: readonly number[] }
  | { type: 'channel'; channel_id: number; topic: string }

export function editTypingEvent(op: TypingOp, senderId: number, messageId: number, recipient: EditRecipient) {
  return { type: 'typing_edit_message', op, sender_id: senderId, message_id: messageId, recipient }
}

function toPersonJson(user: User, { realm, externalUrl }: ServerAddress): PersonJson {
  return { user_id: user.id, email: apiEmail(user, realm, externalUrl) }
}
