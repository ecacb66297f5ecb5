/** What the clock shows in a time zone, and the day where that is another one than here; null for an unknown zone. */
export function localTime(timeZone: string, now: number): string | null {
  if (timeZone === '') return null
  try {
    const at = now * 1000
    const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone }).format(at)
    const dayThere = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone }).format(at)
    const dayHere = new Intl.DateTimeFormat(undefined, { weekday: 'long' }).format(at)
    return dayThere === dayHere ? time : `${time} (${dayThere})`
  } catch {
    return null
  }
}
