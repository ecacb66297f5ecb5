import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { AddressVisibility, type UserSettings } from '#people/user-settings.ts'
import type { User } from '#people/users.ts'
import { OFFLINE_AFTER } from '#rules/shared-limits.ts'

// The rules of presence: how a report changes the times of a user, when they count as active, idle or offline, and
// how both formats of the API show that. All of them are pure.

/** The maximum age of the presences in a list, in days, if the request sets none. */
export const DEFAULT_HISTORY_DAYS = 14

/** The status that a client reports for its user. */
export type PresenceStatus = 'active' | 'idle'

/** The last times at which a user was active and connected, across all of their clients. */
export type PresenceTimes = {
  /** The time of the user's last activity in a client; null if none was reported. */
  readonly lastActiveAt: number | null
  /** The last time at which one of the user's clients was connected. */
  readonly lastConnectedAt: number | null
}

/** The fields of an account that decide whether, how and to whom its presence is shown. */
export type PresencePerson = {
  readonly id: number
  /** Used in place of times that were never reported. */
  readonly joinedAt: number
  /** The account's email address if everyone may see it; otherwise null. */
  readonly publicEmail: string | null
  /** False for bots and deactivated accounts, whose presence is never shown. */
  readonly isActive: boolean
  /** True if other users may see the presence. */
  readonly isSharing: boolean
}

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

export function isPresenceStatus(text: string): text is PresenceStatus {
  return text === 'active' || text === 'idle'
}

/** Seconds between the reports of one client. */
export const PING_INTERVAL = 60

/** A report replaces times that are more than this many seconds old. This is slightly less than the ping interval. */
const REPORT_SPACING = 55

/**
 * A report of activity raises an event if the last recorded activity is more than this many seconds old. Events in
 * between would change nothing in clients.
 */
const EVENT_SPACING = OFFLINE_AFTER - PING_INTERVAL - 10

/**
 * In the older format, a user counts as active if they were active at most this many seconds before their last
 * connection.
 */
const ACTIVE_GRACE = 70

/**
 * When a user stops sharing, their times are set to at least this many seconds ago, so that every client shows them as
 * offline.
 */
const NOT_SHARING_AGE = OFFLINE_AFTER + REPORT_SPACING + 10

type ReportResult = {
  /** Null if the report changes nothing. */
  readonly times: PresenceTimes | null
  /** True if clients receive an event. */
  readonly raisesEvent: boolean
}

/**
 * Applies a report to a user's times; `before` is null for the first report. An idle report never clears the time of
 * the last activity.
 */
export function applyReport(before: PresenceTimes | null, status: PresenceStatus, now: number): ReportResult {
  if (before === null) {
    return { times: { lastActiveAt: status === 'active' ? now : null, lastConnectedAt: now }, raisesEvent: true }
  }
  const sinceActive = before.lastActiveAt === null ? SECONDS_PER_DAY : now - before.lastActiveAt
  const sinceConnected = now - (before.lastConnectedAt ?? Number.NEGATIVE_INFINITY)
  const movesActive = status === 'active' && sinceActive > REPORT_SPACING
  const movesConnected = sinceConnected > REPORT_SPACING || (movesActive && sinceConnected > 0)
  if (!movesActive && !movesConnected) return { times: null, raisesEvent: false }
  return {
    times: {
      lastActiveAt: movesActive ? now : before.lastActiveAt,
      lastConnectedAt: movesConnected ? now : before.lastConnectedAt,
    },
    raisesEvent: status === 'active' && sinceActive > EVENT_SPACING,
  }
}

/** Returns, for each of the two times, the later of both values. */
export function latestTimes(one: PresenceTimes | null, other: PresenceTimes | null): PresenceTimes | null {
  if (one === null || other === null) return one ?? other
  const later = (name: keyof PresenceTimes) =>
    one[name] === null || other[name] === null ? (one[name] ?? other[name]) : Math.max(one[name], other[name])
  return { lastActiveAt: later('lastActiveAt'), lastConnectedAt: later('lastConnectedAt') }
}

/**
 * The maximum number of seconds that a stored time may be ahead of the clock: the clocks of nodes differ slightly, and
 * clocks are adjusted. Times further ahead were stored while the clock was wrong.
 */
export const MAX_AHEAD = 10

/** Replaces each time that is too far ahead of the clock with `now`. */
export function correctTimes({ lastActiveAt, lastConnectedAt }: PresenceTimes, now: number): PresenceTimes {
  const correct = (time: number | null) => (time !== null && time > now + MAX_AHEAD ? now : time)
  return { lastActiveAt: correct(lastActiveAt), lastConnectedAt: correct(lastConnectedAt) }
}

/**
 * Returns new times for a user who stops sharing, so that every client shows the user as offline; null if every client
 * does so already.
 */
export function timesWhenSharingStops(before: PresenceTimes | null, now: number): PresenceTimes | null {
  const latest = now - NOT_SHARING_AGE
  if (before?.lastConnectedAt == null || before.lastConnectedAt < latest) return null
  return {
    lastActiveAt: before.lastActiveAt === null ? null : Math.min(before.lastActiveAt, latest),
    lastConnectedAt: latest,
  }
}

/**
 * A presence in the older format, for one client. The status is never `offline`: clients compare the timestamp with
 * their own clock.
 */
type WebsitePresence = { client: 'website'; status: PresenceStatus; timestamp: number }

/**
 * Returns the times in whole UNIX seconds, for the newer format. A time that was never reported is replaced by the time
 * of joining.
 */
export function toPresenceJson(
  times: PresenceTimes,
  joinedAt: number,
): { active_timestamp: number; idle_timestamp: number } {
  return {
    active_timestamp: Math.trunc(times.lastActiveAt ?? joinedAt),
    idle_timestamp: Math.trunc(times.lastConnectedAt ?? joinedAt),
  }
}

export function toWebsitePresenceJson(times: PresenceTimes, joinedAt: number): WebsitePresence {
  const activeAt = times.lastActiveAt ?? joinedAt
  const connectedAt = times.lastConnectedAt ?? joinedAt
  const isActive = activeAt + ACTIVE_GRACE >= connectedAt
  return {
    client: 'website',
    status: isActive ? 'active' : 'idle',
    timestamp: Math.trunc(isActive ? activeAt : connectedAt),
  }
}

/** Returns whether a user who was last seen at `seenAt`, a time in whole seconds, counts as offline. */
export function isOffline(seenAt: number, now: number): boolean {
  return Math.trunc(now) - seenAt > OFFLINE_AFTER
}

type Account = Pick<User, 'id' | 'joinedAt' | 'deliveryEmail' | 'botType' | 'deactivatedAt'> & {
  settings: Pick<UserSettings, 'presence_enabled' | 'email_address_visibility'>
}

export function toPresencePerson({
  id,
  joinedAt,
  deliveryEmail,
  botType,
  deactivatedAt,
  settings,
}: Account): PresencePerson {
  return {
    id,
    joinedAt,
    publicEmail: settings.email_address_visibility === AddressVisibility.everyone ? deliveryEmail : null,
    isActive: deactivatedAt === null && botType === null,
    isSharing: settings.presence_enabled,
  }
}

/** Returns whether the presence is shown in the same way for both versions of an account. */
export function isSamePerson(one: PresencePerson, other: PresencePerson): boolean {
  return (
    one.joinedAt === other.joinedAt &&
    one.publicEmail === other.publicEmail &&
    one.isActive === other.isActive &&
    one.isSharing === other.isSharing
  )
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
