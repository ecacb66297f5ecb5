import type { Message } from './message.ts'

type Listener = (message: Message) => void

const listeners = new Set<Listener>()

/** Hears every message of somebody else as it arrives, wherever it is shown. Returns what ends it. */
export function onMessageArrived(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitMessageArrived(message: Message): void {
  for (const listener of listeners) listener(message)
}
