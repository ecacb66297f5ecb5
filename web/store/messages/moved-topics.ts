import { createStore } from '../../ui/create-store.ts'
import type { ConversationRef } from './narrow.ts'
import { conversationKey } from './unread.ts'

type Topic = Extract<ConversationRef, { kind: 'topic' }>
/** `isOwn` is true if the user moved the topic. */
type Listener = (from: Topic, to: Topic, isOwn: boolean) => void

const listeners = new Set<Listener>()

/** The topics that were moved since the page was loaded, by the conversation that they left. */
const destinations = createStore<ReadonlyMap<string, Topic>>(new Map())

/** Returns the topic to which the messages of a topic were moved; undefined if they were not. */
export const useDestination = (from: Topic): Topic | undefined =>
  destinations.usePart((all) => all.get(conversationKey(from)))

/** Returns the topic in which the messages of a topic are now; undefined if they were not moved. */
export function findDestination(from: Topic): Topic | undefined {
  const to = destinations.get().get(conversationKey(from))
  return to && (findDestination(to) ?? to)
}

/**
 * Calls the listener when all messages of a topic were moved, even if they are not loaded. Returns a function that
 * stops this.
 */
export function onTopicMoved(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitTopicMoved(from: Topic, to: Topic, isOwn: boolean): void {
  const known = new Map(destinations.get()).set(conversationKey(from), to)
  known.delete(conversationKey(to))
  destinations.set(known)
  for (const listener of listeners) listener(from, to, isOwn)
}
