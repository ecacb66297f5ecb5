/** When somebody was there, in UNIX seconds of the server's clock. */
export type LastSeen = {
  /** When they last did something; the moment of joining where they never did. */
  readonly activeAt: number
  /** When a client of theirs was last connected. */
  readonly connectedAt: number
}

/** How somebody is now; `since` in UNIX seconds of the server's clock. */
export type Presence =
  | { kind: 'active' }
  | { kind: 'idle'; since: number }
  /** `since` is null where nothing is known, as it is of those who hide. */
  | { kind: 'offline'; since: number | null }

/** Whoever gave no sign for longer is away, in seconds; the server tells others of presence by the same measure. */
const AWAY_AFTER = 200

/** How somebody is at `now`; nothing is known of those whose times are undefined. */
export function presenceAt(seen: LastSeen | undefined, now: number): Presence {
  if (seen === undefined) return { kind: 'offline', since: null }
  const { activeAt, connectedAt } = seen
  if (now - activeAt <= AWAY_AFTER) return { kind: 'active' }
  if (now - connectedAt <= AWAY_AFTER) return { kind: 'idle', since: activeAt }
  return { kind: 'offline', since: activeAt }
}

/** The times after an event, which tells a single one: of activity, or of a connection alone. It may set them back. */
export function lastSeenAfter(
  before: LastSeen | undefined,
  { status, timestamp }: { status: 'active' | 'idle'; timestamp: number },
): LastSeen {
  const activeAt = status === 'active' ? timestamp : Math.min(before?.activeAt ?? timestamp, timestamp)
  return { activeAt, connectedAt: timestamp }
}
