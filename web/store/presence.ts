import { queryOptions } from '@tanstack/react-query'
import { createAtom, useSelector } from '@tanstack/react-store'
import { useCallback } from 'react'
import { OFFLINE_AFTER } from '#rules/shared-limits.ts'
import { call } from '../api/call.ts'
import { currentMinute, useMinute } from '../ui/moments.ts'
import { currentOrganization, useOrganization, useOrganizationPart } from './organization.ts'
import { queryClient } from './query-client.ts'
import type { EventOf } from './registration.ts'

/** The times at which a user was last seen, in UNIX seconds of the server's clock. */
type LastSeen = {
  /** The time of the last activity. Users who were never active have the time at which they joined. */
  readonly activeAt: number
  /** The time at which a client of the user was last connected. */
  readonly connectedAt: number
}

/** A user's presence; `since` is in UNIX seconds of the server's clock. */
type Presence =
  | { kind: 'active' }
  | { kind: 'idle'; since: number }
  /** `since` is null if the time is unknown, for example because the user hides their availability. */
  | { kind: 'offline'; since: number | null }

/** Returns a user's presence at `now`; `seen` is undefined if nothing is known. */
export function presenceAt(seen: LastSeen | undefined, now: number): Presence {
  if (seen === undefined) return { kind: 'offline', since: null }
  const { activeAt, connectedAt } = seen
  if (now - activeAt <= OFFLINE_AFTER) return { kind: 'active' }
  if (now - connectedAt <= OFFLINE_AFTER) return { kind: 'idle', since: activeAt }
  return { kind: 'offline', since: activeAt }
}

/**
 * Returns the times after an event. An event has one time: the last activity of an active user, or the last connection
 * of an idle user.
 */
export function lastSeenAfter(
  before: LastSeen | undefined,
  { status, timestamp }: { status: 'active' | 'idle'; timestamp: number },
): LastSeen {
  const activeAt = status === 'active' ? timestamp : Math.min(before?.activeAt ?? timestamp, timestamp)
  return { activeAt, connectedAt: timestamp }
}

type PresenceState = {
  readonly seen: ReadonlyMap<number, LastSeen>
  /** The id of the last update that this client has; -1 for none. */
  readonly lastUpdateId: number
  /** Seconds by which the server's clock is ahead of the browser's. */
  readonly ahead: number
}

const presenceStore = createAtom<PresenceState>({ seen: new Map(), lastUpdateId: -1, ahead: 0 })

const aheadBy = (serverTime: number) => serverTime - Date.now() / 1000

const lastPresenceUpdateId = (): number => presenceStore.get().lastUpdateId

type Answer = {
  presence_last_update_id: number
  server_timestamp?: number | undefined
  presences?: Readonly<Record<string, object>> | undefined
}

/** Applies the response to a presence report. It contains, by user id, the presences that are new to this client. */
function applyPresences({ presence_last_update_id, server_timestamp, presences = {} }: Answer): void {
  const news = Object.entries(presences).map(([id, times]): [number, LastSeen] => {
    const { active_timestamp, idle_timestamp } = times as { active_timestamp: number; idle_timestamp: number }
    return [Number(id), { activeAt: active_timestamp, connectedAt: idle_timestamp }]
  })
  presenceStore.set({
    seen: news.length === 0 ? presenceStore.get().seen : new Map([...presenceStore.get().seen, ...news]),
    lastUpdateId: presence_last_update_id,
    ahead: server_timestamp === undefined ? presenceStore.get().ahead : aheadBy(server_timestamp),
  })
}

export function applyPresenceEvent({
  user_id: id,
  presence: { website },
  server_timestamp,
}: EventOf<'presence'>): void {
  const seen = new Map(presenceStore.get().seen).set(id, lastSeenAfter(presenceStore.get().seen.get(id), website))
  presenceStore.set({ ...presenceStore.get(), seen, ahead: aheadBy(server_timestamp) })
}

/** A presence as the page shows it. The user's own presence is `hidden` if the user hides it from others. */
export type VisiblePresence = Presence | { kind: 'hidden' }

type Presences = {
  /** The server's time in UNIX seconds, at most half a minute old. */
  readonly now: number
  /** Null if the organization disables presence. */
  readonly find: ((userId: number) => VisiblePresence) | null
}

/** Returns the known presence of all users. */
export function usePresences(): Presences {
  const { seen, ahead } = useSelector(presenceStore)
  const { user_id, user_settings, realm_presence_disabled } = useOrganization(
    'user_id',
    'user_settings',
    'realm_presence_disabled',
  )
  const now = Math.floor(useMinute() + ahead)
  const hides = user_settings.presence_enabled === false
  const find = useCallback(
    (id: number): VisiblePresence => (id === user_id && hides ? { kind: 'hidden' } : presenceAt(seen.get(id), now)),
    [seen, now, user_id, hides],
  )
  return { now, find: realm_presence_disabled ? null : find }
}

/**
 * Returns the presence of a user; null if the organization disables presence. The component is rendered again only when
 * that presence changes.
 */
export function usePresence(userId: number): VisiblePresence | null {
  const isOff = useOrganizationPart(({ realm_presence_disabled }) => realm_presence_disabled)
  const isHidden = useOrganizationPart(
    ({ user_id, user_settings }) => user_id === userId && user_settings.presence_enabled === false,
  )
  const presence = useSelector(
    moments,
    ([{ seen, ahead }, minute]) => presenceAt(seen.get(userId), Math.floor(minute + ahead)),
    { compare: isSamePresence },
  )
  return isOff ? null : isHidden ? HIDDEN : presence
}

/** Returns the current presence of a user, for use outside components; null if the organization disables presence. */
export function presenceNow(userId: number): VisiblePresence | null {
  const { user_id, user_settings, realm_presence_disabled } = currentOrganization() ?? {}
  if (realm_presence_disabled) return null
  if (userId === user_id && user_settings?.presence_enabled === false) return HIDDEN
  const { seen, ahead } = presenceStore.get()
  return presenceAt(seen.get(userId), Math.floor(Date.now() / 1000 + ahead))
}

const HIDDEN: VisiblePresence = { kind: 'hidden' }

/** All presences, with the current time. */
const moments = createAtom(() => [presenceStore.get(), currentMinute.get()] as const)

const isSamePresence = (one: Presence, other: Presence): boolean =>
  one.kind === other.kind && ('since' in one ? one.since : 0) === ('since' in other ? other.since : 0)

/** The interval of presence reports, in milliseconds. */
const REPORT_PERIOD = 60_000

/** The time without activity after which the user is idle, in milliseconds. */
const IDLE_AFTER = 300_000

/** The user's own presence as the server reports it to others. */
export const presenceQuery = queryOptions({
  queryKey: ['presence-as-seen'],
  queryFn: ({ signal }) => call('GET /users/me/presence/as_seen', {}, { signal }),
  refetchInterval: 30_000,
})

/**
 * Reports the user's activity to the server once a minute, and updates everyone's presence. If the user hides their
 * availability, a visible page reports no activity, and a page in the background reports nothing. Returns a function
 * that stops this.
 */
export function reportPresence(): () => void {
  let lastInputAt = performance.now()
  const end = new AbortController()
  const { signal } = end
  const noteInput = () => {
    lastInputAt = performance.now()
  }
  const report = () => {
    const isVisible = document.visibilityState === 'visible'
    const shares = sharesPresence()
    if (!isVisible && !shares) return
    const isActive = shares && isVisible && performance.now() - lastInputAt < IDLE_AFTER
    call(
      'POST /users/me/presence',
      { status: isActive ? 'active' : 'idle', new_user_input: isActive, last_update_id: lastPresenceUpdateId() },
      { signal },
    )
      .then((answer) => {
        applyPresences(answer)
        return queryClient.invalidateQueries({ queryKey: presenceQuery.queryKey })
      })
      // The next report makes up for a lost one.
      .catch(() => {})
  }
  // Users who hide their availability receive no presence in the background, and catch up on return.
  const catchUp = () => {
    if (document.visibilityState === 'visible' && !sharesPresence()) report()
  }
  for (const type of ['keydown', 'pointerdown', 'pointermove', 'scroll'])
    addEventListener(type, noteInput, { passive: true, signal })
  document.addEventListener('visibilitychange', catchUp, { signal })
  const timer = setInterval(report, REPORT_PERIOD)
  report()
  return () => {
    clearInterval(timer)
    end.abort()
  }
}

const sharesPresence = (): boolean => currentOrganization()?.user_settings.presence_enabled !== false
