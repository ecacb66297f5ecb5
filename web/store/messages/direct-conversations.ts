import { createStore } from '../../ui/create-store.ts'
import { toParticipants } from './narrow.ts'

/** A direct message conversation, identified by its other participants. `latestId` is the id of its newest message. */
export type DirectConversation = { readonly people: readonly number[]; readonly latestId: number }

/** The user's direct message conversations, sorted by newest message, in descending order. */
export const directConversations = createStore<readonly DirectConversation[]>([])

/** Reads the conversations from the response of `register`. */
export const readDirectConversations = (
  events: readonly { user_ids: readonly number[]; max_message_id: number }[],
  ownId: number,
): DirectConversation[] =>
  events.map((one) => ({ people: toParticipants(one.user_ids, ownId), latestId: one.max_message_id }))

/** Moves the conversation of a new message to the front, or adds it there. */
export function withMessage(
  known: readonly DirectConversation[],
  people: readonly number[],
  id: number,
): DirectConversation[] {
  const isOther = (one: DirectConversation) => String(one.people) !== String(people)
  const before = known.find((one) => !isOther(one))
  const latestId = Math.max(before?.latestId ?? 0, id)
  return [...known.filter(isOther), { people, latestId }].sort((one, other) => other.latestId - one.latestId)
}
