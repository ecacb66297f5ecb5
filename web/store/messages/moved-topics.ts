import type { Spot } from './narrow.ts'

type Topic = Extract<Spot, { kind: 'topic' }>
type Listener = (from: Topic, to: Topic) => void

const listeners = new Set<Listener>()

/** Hears of topics of which all went elsewhere that is shown. Returns what ends it. */
export function hearMovedTopics(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function tellOfMovedTopic(from: Topic, to: Topic): void {
  for (const listener of listeners) listener(from, to)
}
