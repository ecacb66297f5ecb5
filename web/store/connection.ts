import { useSyncExternalStore } from 'react'

/** How the client stands to its server; `asOf` is when it last heard of it, in UNIX seconds. */
export type Connection =
  | { phase: 'starting' }
  | { phase: 'live' }
  | { phase: 'offline'; asOf: number | null }
  | { phase: 'failed'; error: unknown }

let connection: Connection = { phase: 'starting' }
const listeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  connection = next
  for (const listener of listeners) listener()
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
