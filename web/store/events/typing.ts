import { type ConversationRef, toParticipants } from '../messages/narrow.ts'
import { addTypist, removeTypist, type TypingContext } from '../messages/typists.ts'
import { knownOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

type Typing = {
  op: 'start' | 'stop'
  sender: { user_id: number }
  recipients?: readonly { user_id: number }[]
  stream_id?: number
  topic?: string
}

/** Somebody begins to type, goes on to, or has stopped. */
export function applyTyping(event: ServerEvent, ownId: number): void {
  const { op, sender, ...where } = event as unknown as Typing
  const conversation = spotOfTyping(where, ownId)
  if (conversation !== null && sender.user_id !== ownId) record(op, conversation, sender.user_id)
}

/** Somebody begins to edit a message, goes on to, or has stopped. */
export function applyEditTyping(event: ServerEvent): void {
  const { op, sender_id, message_id } = event as unknown as { op: Typing['op']; sender_id: number; message_id: number }
  record(op, { kind: 'message', id: message_id }, sender_id)
}

function record(op: Typing['op'], typed: TypingContext, userId: number): void {
  const lifetime = knownOrganization()?.server_typing_started_expiry_period_milliseconds
  if (op === 'stop') removeTypist(typed, userId)
  else if (lifetime !== undefined) addTypist(typed, userId, lifetime)
}

function spotOfTyping(
  { recipients, stream_id, topic }: Omit<Typing, 'op' | 'sender'>,
  ownId: number,
): ConversationRef | null {
  if (stream_id !== undefined && topic !== undefined) return { kind: 'topic', channelId: stream_id, topic }
  if (recipients === undefined) return null
  const ids = recipients.map(({ user_id }) => user_id)
  return { kind: 'direct', people: toParticipants(ids, ownId) }
}
