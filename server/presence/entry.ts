import type { Person } from './person.ts'
import { type Times, toPresenceJson, toWebsitePresenceJson } from './presence.ts'

/** The two ways in which presences are written: by user id, or by e-mail address as older clients want them. */
export type Shape = 'modern' | 'legacy'

export type PresenceRow = Times & { readonly userId: number; readonly realmId: number; readonly updateId: number }

/** Somebody's presence on the board. Never changed: news of them is another entry with a higher update id. */
export type Entry = Times & {
  readonly person: Person
  /** Tells what a client has from what is new to it: ascends in the organization. */
  readonly updateId: number
  /** Its member of `presences`, once it was asked for. */
  readonly written: Record<Shape, string | null>
}

export function makeEntry(person: Person, { lastActiveAt, lastConnectedAt }: Times, updateId: number): Entry {
  return { person, lastActiveAt, lastConnectedAt, updateId, written: { modern: null, legacy: null } }
}

/** The entry as it is shown to whom the person's address is not. */
export function withoutAddress(entry: Entry): Entry {
  return makeEntry({ ...entry.person, publicEmail: null }, entry, entry.updateId)
}

/** Whether everybody who may see the person sees the entry; if not, at most they themselves do. */
export function isShown({ person }: Entry): boolean {
  return person.isActive && person.isSharing
}

/** A time that was never reported counts as infinitely old. */
export function connectedAt(entry: Entry): number {
  return entry.lastConnectedAt ?? Number.NEGATIVE_INFINITY
}

/** The later of the entry's two times. */
export function latestTimeOf({ lastActiveAt, lastConnectedAt }: Times): number {
  return Math.max(lastActiveAt ?? Number.NEGATIVE_INFINITY, lastConnectedAt ?? Number.NEGATIVE_INFINITY)
}

/** `key:value` as it stands in the `presences` of an answer. `emailOf` gives the API address of somebody. */
export function toMember(entry: Entry, shape: Shape, emailOf: (person: Person) => string): string {
  entry.written[shape] ??= shape === 'modern' ? toModernMember(entry) : toLegacyMember(entry, emailOf(entry.person))
  return entry.written[shape]
}

function toModernMember(entry: Entry): string {
  return `"${entry.person.id}":${JSON.stringify(toPresenceJson(entry, entry.person.joinedAt))}`
}

function toLegacyMember(entry: Entry, email: string): string {
  const aggregated = toWebsitePresenceJson(entry, entry.person.joinedAt)
  return `${JSON.stringify(email)}:${JSON.stringify({ aggregated, website: { ...aggregated, pushable: false } })}`
}

/** The entry as it is stored. */
export function toPresenceRow(realmId: number, entry: Entry): PresenceRow {
  const { person, lastActiveAt, lastConnectedAt, updateId } = entry
  return { userId: person.id, realmId, lastActiveAt, lastConnectedAt, updateId }
}
