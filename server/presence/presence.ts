/** The status that a client reports for its user. */
export type PresenceStatus = 'active' | 'idle'

export function isPresenceStatus(text: string): text is PresenceStatus {
  return text === 'active' || text === 'idle'
}

/** The last times at which a user was active and connected, across all of their clients. */
export type PresenceTimes = {
  /** The time of the user's last activity in a client; null if none was reported. */
  readonly lastActiveAt: number | null
  /** The last time at which one of the user's clients was connected. */
  readonly lastConnectedAt: number | null
}

/** Seconds after the last report until a user counts as offline. */
export const OFFLINE_AFTER = 200

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

const SECONDS_PER_DAY = 86_400

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
