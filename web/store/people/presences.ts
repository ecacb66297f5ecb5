import { useCallback } from 'react'
import { createStore, deriveStore } from '../../ui/create-store.ts'
import { currentMinute, useMinute } from '../../ui/time/time.tsx'
import type { EventOf } from '../events/event.ts'
import { currentOrganization, useOrganization, useOrganizationPart } from '../organization.ts'
import { type LastSeen, lastSeenAfter, type Presence, presenceAt } from './presence-state.ts'

type PresenceState = {
  readonly seen: ReadonlyMap<number, LastSeen>
  /** The id of the last update that this client has; -1 for none. */
  readonly lastUpdateId: number
  /** Seconds by which the server's clock is ahead of the browser's. */
  readonly ahead: number
}

const presenceStore = createStore<PresenceState>({ seen: new Map(), lastUpdateId: -1, ahead: 0 })

const aheadBy = (serverTime: number) => serverTime - Date.now() / 1000

export const lastPresenceUpdateId = (): number => presenceStore.get().lastUpdateId

type Answer = {
  presence_last_update_id: number
  server_timestamp?: number | undefined
  presences?: Readonly<Record<string, object>> | undefined
}

/** Applies the response to a presence report. It contains, by user id, the presences that are new to this client. */
export function applyPresences({ presence_last_update_id, server_timestamp, presences = {} }: Answer): void {
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

export type Presences = {
  /** The server's time in UNIX seconds, at most half a minute old. */
  readonly now: number
  /** Null if the organization disables presence. */
  readonly find: ((userId: number) => VisiblePresence) | null
}

/** Returns the known presence of all users. */
export function usePresences(): Presences {
  const { seen, ahead } = presenceStore.use()
  const { user_id, user_settings, realm_presence_disabled } = useOrganization()
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
  const presence = moments.usePart(
    ([{ seen, ahead }, minute]) => presenceAt(seen.get(userId), Math.floor(minute + ahead)),
    isSamePresence,
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
const moments = deriveStore([presenceStore, currentMinute], (inputs) => inputs)

const isSamePresence = (one: Presence, other: Presence): boolean =>
  one.kind === other.kind && ('since' in one ? one.since : 0) === ('since' in other ? other.since : 0)
