import { currentBuild } from '../cache/cache-database.ts'
import type { LiveState } from '../cache/cached-view.ts'
import type { Connection, QueuePosition } from '../connection.ts'
import type { Batch } from './batch.ts'

/**
 * A message between the pages of a user. One page leads: it polls the event queue and sends its events to the others.
 */
export type Notice =
  /** A page requests the events that it lacks. `position` is null if the page has no state. */
  | { type: 'hello'; from: string; position: QueuePosition | null }
  /** The state for the page `to`, or for all pages if `to` is null. */
  | { type: 'state'; to: string | null; position: QueuePosition; state: LiveState }
  | { type: 'events'; batch: Batch }
  | { type: 'connection'; connection: Connection }
  /** The outcome of a call by a page that does not lead. `isAnswered` is false if the server could not be reached. */
  | { type: 'outcome'; isAnswered: boolean }

export type Pages = { send(notice: Notice): void; close(): void }

/** Connects to the other pages of the user that have the same build. Other builds may expect a different state. */
export function connectPages(userId: number, onNotice: (notice: Notice) => void): Pages {
  const channel = new BroadcastChannel(`parley.events.${userId}.${currentBuild()}`)
  channel.onmessage = ({ data }: MessageEvent<Notice>) => onNotice(data)
  return { send: (notice) => channel.postMessage(notice), close: () => channel.close() }
}
