import { pageUserId } from '../../api/session.ts'
import { mayHaveCache } from '../cache/cache-database.ts'
import type { CachedView } from '../cache/cached-view.ts'
import { readCache } from '../cache/read-cache.ts'
import { claimQueue } from './claim-queue.ts'
import { type Registered, register } from './registration.ts'

/** The start of a page, before its scripts are loaded: a view that this browser has kept, or the response to its registration. */
export type EarlyStart = {
  readonly view: CachedView | null
  /** Resolves to true if no other page of this browser polls the event queue of the view. */
  readonly ownsQueue: Promise<boolean>
  readonly registered: Promise<Registered> | null
}

const NOTHING: EarlyStart = { view: null, ownsQueue: Promise.resolve(false), registered: null }

let early: Promise<EarlyStart> | null = null

/** Starts before the rest of the client is loaded. */
export function startEarly(): void {
  early = start()
}

export const earlyStart = async (): Promise<EarlyStart> => early ?? NOTHING

async function start(): Promise<EarlyStart> {
  const userId = pageUserId()
  const view = userId !== null && mayHaveCache(userId) ? await readCache(userId) : null
  if (view !== null) return { view, ownsQueue: claimQueue(view.position.queueId), registered: null }
  const registered = register()
  // A failure is handled when the response is used.
  registered.catch(() => {})
  return { ...NOTHING, registered }
}
