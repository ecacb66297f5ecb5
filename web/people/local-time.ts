import { timeFormat } from '../ui/moments.ts'

/** Returns the local time in a time zone, with the day if it differs; null for an unknown zone. */
export function localTime(timeZone: string, now: number): string | null {
  if (timeZone === '') return null
  try {
    const at = now * 1000
    const time = timeFormat({ timeStyle: 'short', timeZone })().format(at)
    const dayThere = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone }).format(at)
    const dayHere = new Intl.DateTimeFormat(undefined, { weekday: 'long' }).format(at)
    return dayThere === dayHere ? time : `${time} (${dayThere})`
  } catch {
    return null
  }
}

/**
 * Returns how many hours the time in a zone is ahead of the user's own time, negative if it is behind. Returns null for
 * an unknown zone.
 */
export function hoursAhead(timeZone: string, now: number): number | null {
  if (timeZone === '') return null
  try {
    const there = wallTime(now, timeZone)
    return Math.round(((there - wallTime(now)) / 3_600_000) * 4) / 4
  } catch {
    return null
  }
}

/** Returns the date and time that clocks show in a zone, as if they were in UTC, in milliseconds. */
function wallTime(now: number, timeZone?: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', hourCycle: 'h23' },
    ...(timeZone !== undefined && { timeZone }),
  } as Intl.DateTimeFormatOptions).formatToParts(now * 1000)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'))
}
