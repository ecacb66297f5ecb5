import type { ConversationRef } from './narrow.ts'

type Topic = Extract<ConversationRef, { kind: 'topic' }>
/** `isOwn` says that one moved it oneself. */
type Listener = (from: Topic, to: Topic, isOwn: boolean) => void

const listeners = new Set<Listener>()

/** Hears of topics of which all went elsewhere that is shown. Returns what ends it. */
export function onTopicMoved(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitTopicMoved(from: Topic, to: Topic, isOwn: boolean): void {
  for (const listener of listeners) listener(from, to, isOwn)
}
