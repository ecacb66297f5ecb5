import { apiEmail, type User } from '#people/users/user.ts'
import type { EmittedOfType } from '#storage/storage.ts'

type TypingEvent = EmittedOfType<'typing'>
type EditTypingEvent = EmittedOfType<'typing_edit_message'>

/** `start` means that the user started to type, or is still typing. */
export type TypingOp = TypingEvent['op']

type Typing = { op: TypingOp; sender: User }

type ServerAddress = { realm: { subdomain: string }; externalUrl: string }

/** Returns a typing event in a direct conversation. `recipients` must include all participants and the sender. */
export function directTypingEvent(
  { op, sender }: Typing,
  recipients: readonly User[],
  address: ServerAddress,
): TypingEvent {
  return {
    type: 'typing',
    op,
    message_type: 'direct',
    sender: toPersonJson(sender, address),
    recipients: recipients.map((user) => toPersonJson(user, address)),
  }
}

export function channelTypingEvent(
  { op, sender }: Typing,
  { channelId, topic }: { channelId: number; topic: string },
  address: ServerAddress,
): TypingEvent {
  return {
    type: 'typing',
    op,
    message_type: 'stream',
    sender: toPersonJson(sender, address),
    stream_id: channelId,
    topic,
  }
}

/** The conversation of the message that is being edited. */
type EditRecipient = EditTypingEvent['recipient']

export function editTypingEvent(
  op: TypingOp,
  senderId: number,
  messageId: number,
  recipient: EditRecipient,
): EditTypingEvent {
  return { type: 'typing_edit_message', op, sender_id: senderId, message_id: messageId, recipient }
}

function toPersonJson(user: User, { realm, externalUrl }: ServerAddress): TypingEvent['sender'] {
  return { user_id: user.id, email: apiEmail(user, realm, externalUrl) }
}
