import { timeFormat } from '../../ui/time/clock.ts'

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
