import type { PresencePerson } from './person.ts'
import { type PresenceTimes, toPresenceJson, toWebsitePresenceJson } from './presence.ts'

/** The two ways in which presences are written: by user id, or by e-mail address as older clients want them. */
export type PresenceFormat = 'modern' | 'legacy'

export type PresenceRow = PresenceTimes & {
  readonly userId: number
  readonly realmId: number
  readonly updateId: number
}

/** Somebody's presence on the board. Never changed: news of them is another entry with a higher update id. */
export type PresenceEntry = PresenceTimes & {
  readonly person: PresencePerson
  /** Tells what a client has from what is new to it: ascends in the organization. */
  readonly updateId: number
  /** Its member of `presences`, once it was asked for. */
  readonly json: Record<PresenceFormat, string | null>
}

export function makeEntry(
  person: PresencePerson,
  { lastActiveAt, lastConnectedAt }: PresenceTimes,
  updateId: number,
): PresenceEntry {
  return { person, lastActiveAt, lastConnectedAt, updateId, json: { modern: null, legacy: null } }
}

/** The entry as it is shown to whom the person's address is not. */
export function withoutAddress(entry: PresenceEntry): PresenceEntry {
  return makeEntry({ ...entry.person, publicEmail: null }, entry, entry.updateId)
}

/** Whether everybody who may see the person sees the entry; if not, at most they themselves do. */
export function isVisibleToOthers({ person }: PresenceEntry): boolean {
  return person.isActive && person.isSharing
}

/** A time that was never reported counts as infinitely old. */
export function connectedAt(entry: PresenceEntry): number {
  return entry.lastConnectedAt ?? Number.NEGATIVE_INFINITY
}

/** The later of the entry's two times. */
export function latestTimeOf({ lastActiveAt, lastConnectedAt }: PresenceTimes): number {
  return Math.max(lastActiveAt ?? Number.NEGATIVE_INFINITY, lastConnectedAt ?? Number.NEGATIVE_INFINITY)
}

/** `key:value` as it stands in the `presences` of an answer. `emailOf` gives the API address of somebody. */
export function toMemberJson(
  entry: PresenceEntry,
  shape: PresenceFormat,
  emailOf: (person: PresencePerson) => string,
): string {
  entry.json[shape] ??= shape === 'modern' ? toModernMember(entry) : toLegacyMember(entry, emailOf(entry.person))
  return entry.json[shape]
}

function toModernMember(entry: PresenceEntry): string {
  return `"${entry.person.id}":${JSON.stringify(toPresenceJson(entry, entry.person.joinedAt))}`
}

function toLegacyMember(entry: PresenceEntry, email: string): string {
  const aggregated = toWebsitePresenceJson(entry, entry.person.joinedAt)
  return `${JSON.stringify(email)}:${JSON.stringify({ aggregated, website: { ...aggregated, pushable: false } })}`
}

/** The entry as it is stored. */
export function toPresenceRow(realmId: number, entry: PresenceEntry): PresenceRow {
  const { person, lastActiveAt, lastConnectedAt, updateId } = entry
  return { userId: person.id, realmId, lastActiveAt, lastConnectedAt, updateId }
}
