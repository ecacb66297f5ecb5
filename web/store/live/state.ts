import type { CachedView, LiveState } from '../cache/cached-view.ts'
import { currentConnection, type QueuePosition, queuePosition, setConnection } from '../connection.ts'
import { loadState, loadView, setLiveState } from '../load-state.ts'
import { reloadCachedTimelines } from '../messages/messages.ts'
import { currentOrganization, type RegisterState } from '../organization.ts'
import { queryClient } from '../query-client.ts'

/**
 * The time without a response of the server after which a page indicates that it shows the cached view, in
 * milliseconds.
 */
const PATIENCE = 3000

/** True while the page shows the cached view. */
let isCached = false

/** The time of the last response of the event queue, in UNIX seconds; null before the first response. */
let respondedAt: number | null = null

export const lastResponseAt = (): number | null => respondedAt

/** Records that the stores are up to date. */
export function setLive(): void {
  isCached = false
  respondedAt = Date.now() / 1000
  setConnection({ phase: 'live' })
}

/** Shows the cached view, until the server responds. */
export function showCachedView(view: CachedView): void {
  isCached = true
  respondedAt = view.asOf
  loadView(view)
  queuePosition.set(view.position)
  setConnection({ phase: 'cached' })
  setTimeout(() => {
    if (currentConnection().phase === 'cached') setConnection({ phase: 'offline', asOf: view.asOf })
  }, PATIENCE)
}

/** Loads the state of a new event queue. */
export const takeRegistered = (state: RegisterState): void =>
  replaceState({ queueId: state.queue_id, lastEventId: state.last_event_id }, () => loadState(state))

/** Loads the state of another page. */
export const takeShared = (position: QueuePosition, state: LiveState): void =>
  replaceState(position, () => setLiveState(state))

/** Replaces the state of the stores. The page keeps showing its old messages and lists until they are loaded again. */
function replaceState(position: QueuePosition, load: () => void): void {
  const isFirst = currentOrganization() === undefined
  load()
  queuePosition.set(position)
  if (isCached) void reloadCachedTimelines()
  else if (!isFirst) void queryClient.invalidateQueries()
}
