import type { ConversationRef } from './narrow.ts'

type Topic = Extract<ConversationRef, { kind: 'topic' }>
/** `isOwn` is true if the user moved the topic. */
type Listener = (from: Topic, to: Topic, isOwn: boolean) => void

const listeners = new Set<Listener>()

/**
 * Calls the listener when all messages of a topic were moved, even if they are not loaded. Returns a function that
 * stops this.
 */
export function onTopicMoved(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitTopicMoved(from: Topic, to: Topic, isOwn: boolean): void {
  for (const listener of listeners) listener(from, to, isOwn)
}
