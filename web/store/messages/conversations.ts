import { cell } from '../cell.ts'
import { toPeople } from './narrow.ts'

/** A conversation of direct messages, by its others; `latestId` is its newest message. */
export type Conversation = { readonly people: readonly number[]; readonly latestId: number }

/** One's conversations, the one with the newest message first. */
export const conversations = cell<readonly Conversation[]>([])

/** What `register` tells of. */
export const readConversations = (
  told: readonly { user_ids: readonly number[]; max_message_id: number }[],
  ownId: number,
): Conversation[] => told.map((one) => ({ people: toPeople(one.user_ids, ownId), latestId: one.max_message_id }))

/** With a message in the conversation with these people, which comes to the front. */
export function withMessage(known: readonly Conversation[], people: readonly number[], id: number): Conversation[] {
  const isOther = (one: Conversation) => String(one.people) !== String(people)
  const before = known.find((one) => !isOther(one))
  const latestId = Math.max(before?.latestId ?? 0, id)
  return [...known.filter(isOther), { people, latestId }].sort((one, other) => other.latestId - one.latestId)
}
