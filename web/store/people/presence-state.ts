/** The times at which a user was last seen, in UNIX seconds of the server's clock. */
export type LastSeen = {
  /** The time of the last activity. Users who were never active have the time at which they joined. */
  readonly activeAt: number
  /** The time at which a client of the user was last connected. */
  readonly connectedAt: number
}

/** A user's presence; `since` is in UNIX seconds of the server's clock. */
export type Presence =
  | { kind: 'active' }
  | { kind: 'idle'; since: number }
  /** `since` is null if the time is unknown, for example because the user hides their availability. */
  | { kind: 'offline'; since: number | null }

/** The time without a connection after which a user is offline, in seconds. The server uses the same value. */
const AWAY_AFTER = 200

/** Returns a user's presence at `now`; `seen` is undefined if nothing is known. */
export function presenceAt(seen: LastSeen | undefined, now: number): Presence {
  if (seen === undefined) return { kind: 'offline', since: null }
  const { activeAt, connectedAt } = seen
  if (now - activeAt <= AWAY_AFTER) return { kind: 'active' }
  if (now - connectedAt <= AWAY_AFTER) return { kind: 'idle', since: activeAt }
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
