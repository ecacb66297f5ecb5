import { useSyncExternalStore } from 'react'

/** How the client stands to its server; `asOf` is when it last heard of it, in UNIX seconds. */
export type Connection =
  | { phase: 'starting' }
  | { phase: 'live' }
  | { phase: 'offline'; asOf: number | null }
  | { phase: 'failed'; error: unknown }

let connection: Connection = { phase: 'starting' }
const listeners = new Set<() => void>()
const restoredListeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  const isRestored = connection.phase === 'offline' && next.phase === 'live'
  connection = next
  for (const listener of listeners) listener()
  if (isRestored) for (const listener of restoredListeners) listener()
}

/** Calls the listener whenever the server is back after it could not be reached. Returns a function that stops it. */
export function onRestored(listener: () => void): () => void {
  restoredListeners.add(listener)
  return () => void restoredListeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )
}
