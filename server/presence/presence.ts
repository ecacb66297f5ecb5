/** What a client reports of the person in front of it. */
export type PresenceStatus = 'active' | 'idle'

export function isPresenceStatus(text: string): text is PresenceStatus {
  return text === 'active' || text === 'idle'
}

/** When somebody was last seen, all of their clients taken together. */
export type PresenceTimes = {
  /** When they were last seen at the device; null while that was never reported. */
  readonly lastActiveAt: number | null
  /** When a client of theirs was last connected. */
  readonly lastConnectedAt: number | null
}

/** Seconds after the last sign of somebody at which they count as offline. */
export const OFFLINE_AFTER = 200

/** Seconds between the reports of one client. */
export const PING_INTERVAL = 60

/** A report changes a time that is older than so many seconds; a little less than the ping interval. */
const REPORT_SPACING = 55

/** A report of activity is news when the last one is older; those in between tell clients nothing that they show. */
const EVENT_SPACING = OFFLINE_AFTER - PING_INTERVAL - 10

/** Activity so many seconds before the last connection still counts as active in the old format. */
const ACTIVE_GRACE = 70

/** How far back the times of somebody who stops sharing are set, so that every client shows them as offline. */
const NOT_SHARING_AGE = OFFLINE_AFTER + REPORT_SPACING + 10

const SECONDS_PER_DAY = 86_400

export type ReportResult = {
  /** Null when the report changes nothing. */
  readonly times: PresenceTimes | null
  /** Whether clients are told by an event. */
  readonly raisesEvent: boolean
}

/** What a report makes of somebody's times; `before` is null for their first one. A report of idleness clears nothing. */
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

/** Of two records of somebody's times the later of each. */
export function latestTimes(one: PresenceTimes | null, other: PresenceTimes | null): PresenceTimes | null {
  if (one === null || other === null) return one ?? other
  const later = (name: keyof PresenceTimes) =>
    one[name] === null || other[name] === null ? (one[name] ?? other[name]) : Math.max(one[name], other[name])
  return { lastActiveAt: later('lastActiveAt'), lastConnectedAt: later('lastConnectedAt') }
}

/**
 * How many seconds a stored time may be ahead of the clock: clocks of nodes differ a little, and clocks are corrected. A
 * time further ahead was stored while the clock was wrong.
 */
export const MAX_AHEAD = 10

/** The times with each one that is too far ahead of the clock replaced by `now`. */
export function correctTimes({ lastActiveAt, lastConnectedAt }: PresenceTimes, now: number): PresenceTimes {
  const correct = (time: number | null) => (time !== null && time > now + MAX_AHEAD ? now : time)
  return { lastActiveAt: correct(lastActiveAt), lastConnectedAt: correct(lastConnectedAt) }
}

/** The times of somebody who stops sharing them, seen by all as offline; null when they are offline already. */
export function timesWhenSharingStops(before: PresenceTimes | null, now: number): PresenceTimes | null {
  const latest = now - NOT_SHARING_AGE
  if (before?.lastConnectedAt == null || before.lastConnectedAt < latest) return null
  return {
    lastActiveAt: before.lastActiveAt === null ? null : Math.min(before.lastActiveAt, latest),
    lastConnectedAt: latest,
  }
}

/** The older format of one client. Never says `offline`: whoever reads it compares the time with their own clock. */
export type WebsitePresence = { client: 'website'; status: PresenceStatus; timestamp: number }

/** Whole UNIX seconds, as the newer format has them; the moment of joining stands for a time that was never reported. */
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

/** Whether somebody whose last sign is of `seenAt`, in whole seconds, counts as offline. */
export function isOffline(seenAt: number, now: number): boolean {
  return Math.trunc(now) - seenAt > OFFLINE_AFTER
}
