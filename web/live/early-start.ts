import { createAtom } from '@tanstack/store'
import { pageUserId } from '../api/session.ts'
import { mayHaveCache } from '../store/cache-database.ts'
import { hasLocks, type Leadership, requestLeadership } from '../store/leadership.ts'
import { type Registered, register } from '../store/registration.ts'
import { type CachedView, readCache } from './cached-view.ts'

/** The data that a page has loaded, or is loading, before the rest of its scripts run. */
export type EarlyStart = {
  readonly view: CachedView | null
  /** The leadership of this page; null if another page leads, or if pages cannot share an event queue. */
  readonly leadership: Leadership | null
  /** The response to the registration; null unless this page leads and has no cached view. */
  readonly registered: Promise<Registered> | null
}

const NOTHING: EarlyStart = { view: null, leadership: null, registered: null }

const early = createAtom<Promise<EarlyStart> | null>(null)

/** Starts to load data while the rest of the client is still loading. */
export function startEarly(): void {
  early.set(start())
}

export const earlyStart = async (): Promise<EarlyStart> => early.get() ?? NOTHING

async function start(): Promise<EarlyStart> {
  const userId = pageUserId()
  const [view, leadership] = await Promise.all([
    userId !== null && mayHaveCache(userId) ? readCache(userId) : null,
    userId !== null && hasLocks() ? requestLeadership(userId, { ifAvailable: true }) : null,
  ])
  const follows = userId !== null && hasLocks() && leadership === null
  const registered = view === null && !follows ? register() : null
  // A failure is handled when the response is used.
  registered?.catch(() => {})
  return { view, leadership, registered }
}
