import { createAtom, type ReadonlyAtom, useSelector } from '@tanstack/react-store'

/**
 * The state of the connection to the server. `asOf` is the time of the last response, in UNIX seconds. In the phase
 * `cached`, the page shows the cached view because the server has not responded yet.
 */
export type Connection =
  | { phase: 'starting' }
  | { phase: 'cached' }
  | { phase: 'live' }
  | { phase: 'offline'; asOf: number | null }
  | { phase: 'failed'; error: unknown }

const connection = createAtom<Connection>({ phase: 'starting' })
const restoredListeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  const { phase } = connection.get()
  // The loop sets the phase after each response of the event queue.
  if (phase === 'live' && next.phase === 'live') return
  const isRestored = phase === 'offline' && next.phase === 'live'
  connection.set(next)
  if (isRestored) for (const listener of restoredListeners) listener()
}

/** Calls the listener whenever the server is reachable again. Returns a function that stops this. */
export function onRestored(listener: () => void): () => void {
  restoredListeners.add(listener)
  return () => void restoredListeners.delete(listener)
}

export const useConnection = (): Connection => useSelector(connection)
export const currentConnection = connection.get
export const connectionStore: ReadonlyAtom<Connection> = connection

/** A position in an event queue: the stores contain its events up to `lastEventId`. */
export type QueuePosition = { readonly queueId: string; readonly lastEventId: number }

/** The position of this page in its event queue; null until the page has a state. */
export const queuePosition = createAtom<QueuePosition | null>(null)
