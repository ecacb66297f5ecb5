import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'

/** Seconds by which the clock may differ from that of PostgreSQL. */
const TOLERANCE = 2

/** Compares a time that PostgreSQL told, once it was asked, with the clock. */
export type CompareClock = (askedAt: number, told: number) => void

/** Logs once that the clock differs, and once that it does no longer: what is due for one node is not for another. */
export function watchClock({ clock, log }: { clock: Clock; log: Log }): CompareClock {
  let differs = false
  return (askedAt, told) => {
    const [ahead, behind] = [askedAt - told, told - clock.now()]
    const didDiffer = differs
    differs = Math.max(ahead, behind) > TOLERANCE
    if (differs === didDiffer) return
    const seconds = Math.round(ahead > behind ? ahead : -behind)
    if (differs)
      log.error(
        { seconds },
        'The clock of this machine differs from that of PostgreSQL: what is due, idle or expired here is not so at other ' +
          'nodes. Keep the clocks of all machines together, with NTP',
      )
    else log.warn({}, 'The clock of this machine is together with that of PostgreSQL again')
  }
}
