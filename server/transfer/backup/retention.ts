// Which backups are kept: a number of the newest ones, or the newest of each hour, day, week and month.

/** The number of periods of each kind of which the newest backup is kept. */
export type Retention = readonly (readonly [number, keyof typeof PERIODS])[]

const DAY = 86_400

/** The number of the period that contains a time, in UTC. 1970-01-05 was a Monday, the first day of a week. */
const PERIODS = {
  h: (time: number) => Math.floor(time / 3600),
  d: (time: number) => Math.floor(time / DAY),
  w: (time: number) => Math.floor((time - 4 * DAY) / (7 * DAY)),
  m: (time: number) => new Date(time * 1000).getUTCFullYear() * 12 + new Date(time * 1000).getUTCMonth(),
  y: (time: number) => new Date(time * 1000).getUTCFullYear(),
} as const

type Kept = {
  createdAt: number
  isVerified: boolean
  /** True if its check found damage. */
  isDamaged: boolean
}

/**
 * Returns the backups to delete; `backups` are complete. With a retention, the newest of each of the last periods that
 * have backups is kept; without one, `count` of the newest ones. The newest one and the newest verified one are always
 * kept. Damaged backups take the place of no others.
 */
export function findSuperfluous<Backup extends Kept>(
  backups: readonly Backup[],
  { retention, count }: { retention: Retention; count: number },
): Backup[] {
  const newestFirst = [...backups].sort((one, other) => other.createdAt - one.createdAt)
  const kept = new Set<Backup>()
  for (const candidates of [newestFirst, newestFirst.filter(({ isDamaged }) => !isDamaged)]) {
    for (const backup of candidates.slice(0, retention.length === 0 ? count : 1)) kept.add(backup)
    for (const [number, kind] of retention)
      for (const backup of newestOfEach(candidates, PERIODS[kind]).slice(0, number)) kept.add(backup)
  }
  const verified = newestFirst.find(({ isVerified }) => isVerified)
  if (verified !== undefined) kept.add(verified)
  return newestFirst.filter((backup) => !kept.has(backup))
}

/** Returns the newest backup of each period, newest first. */
function newestOfEach<Backup extends Kept>(
  newestFirst: readonly Backup[],
  periodOf: (time: number) => number,
): Backup[] {
  const newest = new Map<number, Backup>()
  for (const backup of newestFirst) {
    const period = periodOf(backup.createdAt)
    if (!newest.has(period)) newest.set(period, backup)
  }
  return [...newest.values()]
}
