import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'

/** The tolerated difference between this node's clock and PostgreSQL's clock, in seconds. */
const TOLERANCE = 2

/** Compares the clock with the time that PostgreSQL returned for a request sent at `askedAt`. */
type CompareClock = (askedAt: number, postgresTime: number) => void

/**
 * Logs once that the clock differs, and once that it agrees again. If clocks differ, timers are due at different times
 * on different nodes.
 */
export function watchClock({ clock, log }: { clock: Clock; log: Log }): CompareClock {
  let differs = false
  return (askedAt, postgresTime) => {
    const [ahead, behind] = [askedAt - postgresTime, postgresTime - clock.now()]
    const didDiffer = differs
    differs = Math.max(ahead, behind) > TOLERANCE
    if (differs === didDiffer) return
    const seconds = Math.round(ahead > behind ? ahead : -behind)
    if (differs)
      log.error(
        { seconds },
        'The clock of this machine differs from that of PostgreSQL: timers and expirations do not happen at the same time as on ' +
          'other nodes. Synchronize the clocks of all machines with NTP',
      )
    else log.warn({}, 'The clock of this machine agrees with that of PostgreSQL again')
  }
}
