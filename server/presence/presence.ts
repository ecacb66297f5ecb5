/** What a client reports of the person in front of it. */
export type PresenceStatus = 'active' | 'idle'

export function isPresenceStatus(text: string): text is PresenceStatus {
  return text === 'active' || text === 'idle'
}

/** When somebody was last seen, all of their clients taken together. */
export type Times = {
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
const SPACING = 55

/** A report of activity is news when the last one is older; those in between tell clients nothing that they show. */
const NEWS_SPACING = OFFLINE_AFTER - PING_INTERVAL - 10

/** Activity so many seconds before the last connection still counts as active in the old format. */
const ACTIVE_DESPITE_IDLE = 70

/** How far back the times of somebody who stops sharing are set, so that every client shows them as offline. */
const SWITCHED_OFF_AGO = OFFLINE_AFTER + SPACING + 10

const SECONDS_PER_DAY = 86_400

export type ReportOutcome = {
  /** Null when the report changes nothing. */
  readonly times: Times | null
  /** Whether clients are told by an event. */
  readonly isNews: boolean
}

/** What a report makes of somebody's times; `before` is null for their first one. A report of idleness clears nothing. */
export function applyReport(before: Times | null, status: PresenceStatus, now: number): ReportOutcome {
  if (before === null) {
    return { times: { lastActiveAt: status === 'active' ? now : null, lastConnectedAt: now }, isNews: true }
  }
  const sinceActive = before.lastActiveAt === null ? SECONDS_PER_DAY : now - before.lastActiveAt
  const sinceConnected = now - (before.lastConnectedAt ?? Number.NEGATIVE_INFINITY)
  const movesActive = status === 'active' && sinceActive > SPACING
  const movesConnected = sinceConnected > SPACING || (movesActive && sinceConnected > 0)
  if (!movesActive && !movesConnected) return { times: null, isNews: false }
  return {
    times: {
      lastActiveAt: movesActive ? now : before.lastActiveAt,
      lastConnectedAt: movesConnected ? now : before.lastConnectedAt,
    },
    isNews: status === 'active' && sinceActive > NEWS_SPACING,
  }
}

/** Of two records of somebody's times the later of each. */
export function latestTimes(one: Times | null, other: Times | null): Times | null {
  if (one === null || other === null) return one ?? other
  const later = (name: keyof Times) =>
    one[name] === null || other[name] === null ? (one[name] ?? other[name]) : Math.max(one[name], other[name])
  return { lastActiveAt: later('lastActiveAt'), lastConnectedAt: later('lastConnectedAt') }
}

/**
 * How many seconds a stored time may be ahead of the clock: clocks of nodes differ a little, and clocks are corrected. A
 * time further ahead was stored while the clock was wrong.
 */
export const MAX_AHEAD = 10

/** The times with each one that is too far ahead of the clock replaced by `now`. */
export function correctTimes({ lastActiveAt, lastConnectedAt }: Times, now: number): Times {
  const correct = (time: number | null) => (time !== null && time > now + MAX_AHEAD ? now : time)
  return { lastActiveAt: correct(lastActiveAt), lastConnectedAt: correct(lastConnectedAt) }
}

/** The times of somebody who stops sharing them, seen by all as offline; null when they are offline already. */
export function timesWhenSwitchedOff(before: Times | null, now: number): Times | null {
  const latest = now - SWITCHED_OFF_AGO
  if (before?.lastConnectedAt == null || before.lastConnectedAt < latest) return null
  return {
    lastActiveAt: before.lastActiveAt === null ? null : Math.min(before.lastActiveAt, latest),
    lastConnectedAt: latest,
  }
}

/** The older format of one client. Never says `offline`: whoever reads it compares the time with their own clock. */
export type WebsitePresence = { client: 'website'; status: PresenceStatus; timestamp: number }

/** Whole UNIX seconds, as the newer format has them; the moment of joining stands for a time that was never reported. */
export function toPresenceJson(times: Times, joinedAt: number): { active_timestamp: number; idle_timestamp: number } {
  return {
    active_timestamp: Math.trunc(times.lastActiveAt ?? joinedAt),
    idle_timestamp: Math.trunc(times.lastConnectedAt ?? joinedAt),
  }
}

export function toWebsitePresenceJson(times: Times, joinedAt: number): WebsitePresence {
  const activeAt = times.lastActiveAt ?? joinedAt
  const connectedAt = times.lastConnectedAt ?? joinedAt
  const isActive = activeAt + ACTIVE_DESPITE_IDLE >= connectedAt
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
