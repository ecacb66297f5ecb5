import type { PresencePerson } from './person.ts'
import { type PresenceTimes, toPresenceJson, toWebsitePresenceJson } from './presence.ts'

/** The two formats of presences: keyed by user id, or by email address for older clients. */
export type PresenceFormat = 'modern' | 'legacy'

export type PresenceRow = PresenceTimes & {
  readonly userId: number
  readonly realmId: number
  readonly updateId: number
}

/** A user's presence on the board. Entries are immutable: every change is a new entry with a higher update id. */
export type PresenceEntry = PresenceTimes & {
  readonly person: PresencePerson
  /**
   * Each new entry of an organization has a higher id. Clients use the id to request only the entries that are new to
   * them.
   */
  readonly updateId: number
  /** The entry's JSON in each format, kept after its first use. */
  readonly json: Record<PresenceFormat, string | null>
}

export function makeEntry(
  person: PresencePerson,
  { lastActiveAt, lastConnectedAt }: PresenceTimes,
  updateId: number,
): PresenceEntry {
  return { person, lastActiveAt, lastConnectedAt, updateId, json: { modern: null, legacy: null } }
}

/** Returns the entry for viewers who may not see the user's email address. */
export function withoutAddress(entry: PresenceEntry): PresenceEntry {
  return makeEntry({ ...entry.person, publicEmail: null }, entry, entry.updateId)
}

/** Returns whether other users who may see the user may also see the entry. If not, at most the user sees it. */
export function isVisibleToOthers({ person }: PresenceEntry): boolean {
  return person.isActive && person.isSharing
}

/** Returns the time of the last connection. A time that was never reported counts as infinitely old. */
export function connectedAt(entry: PresenceEntry): number {
  return entry.lastConnectedAt ?? Number.NEGATIVE_INFINITY
}

/** Returns the later of the two times. */
export function latestTimeOf({ lastActiveAt, lastConnectedAt }: PresenceTimes): number {
  return Math.max(lastActiveAt ?? Number.NEGATIVE_INFINITY, lastConnectedAt ?? Number.NEGATIVE_INFINITY)
}

/**
 * Returns the entry as a member of the JSON object `presences`: `"key":value`. `emailOf` returns the user's API email
 * address.
 */
export function toMemberJson(
  entry: PresenceEntry,
  format: PresenceFormat,
  emailOf: (person: PresencePerson) => string,
): string {
  entry.json[format] ??= format === 'modern' ? toModernMember(entry) : toLegacyMember(entry, emailOf(entry.person))
  return entry.json[format]
}

function toModernMember(entry: PresenceEntry): string {
  return `"${entry.person.id}":${JSON.stringify(toPresenceJson(entry, entry.person.joinedAt))}`
}

function toLegacyMember(entry: PresenceEntry, email: string): string {
  const aggregated = toWebsitePresenceJson(entry, entry.person.joinedAt)
  return `${JSON.stringify(email)}:${JSON.stringify({ aggregated, website: { ...aggregated, pushable: false } })}`
}

/** Returns the entry as a row of the database. */
export function toPresenceRow(realmId: number, entry: PresenceEntry): PresenceRow {
  const { person, lastActiveAt, lastConnectedAt, updateId } = entry
  return { userId: person.id, realmId, lastActiveAt, lastConnectedAt, updateId }
}
