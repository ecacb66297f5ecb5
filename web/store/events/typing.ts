import { type ConversationRef, toParticipants } from '../messages/narrow.ts'
import { addTypist, removeTypist, type TypingContext } from '../messages/typists.ts'
import { currentOrganization } from '../organization.ts'
import type { EventOf } from './event.ts'

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
