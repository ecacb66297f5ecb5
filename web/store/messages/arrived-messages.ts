import type { Message } from './message.ts'

type Listener = (message: Message) => void

const listeners = new Set<Listener>()

/** Calls the listener for each new message of another user. Returns a function that stops this. */
export function onMessageArrived(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitMessageArrived(message: Message): void {
  for (const listener of listeners) listener(message)
}
