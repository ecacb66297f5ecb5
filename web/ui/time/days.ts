const full = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const thisYear = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const key = new Intl.DateTimeFormat('en-CA')
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const DAY = 86_400

/** A cache of days by quarter of an hour. No time zone changes its offset within a quarter. */
const days = new Map<number, string>()
const QUARTER = 900
const MAX_DAYS = 10_000

/** Returns a string that identifies the day in the user's time zone; `at` is in UNIX seconds. */
export function dayOf(at: number): string {
  const quarter = Math.floor(at / QUARTER)
  const known = days.get(quarter)
  if (known !== undefined) return known
  if (days.size >= MAX_DAYS) days.clear()
  const day = key.format(at * 1000)
  days.set(quarter, day)
  return day
}

/** Returns the label of a day: "Today", "Yesterday" or the date. The date has no year if it is in the current year. */
export function dayLabel(at: number, now = Date.now() / 1000): string {
  const distance = [0, -1].find((days) => dayOf(at) === dayOf(now + days * DAY))
  if (distance === undefined)
    return (dayOf(at).slice(0, 4) === dayOf(now).slice(0, 4) ? thisYear : full).format(at * 1000)
  const word = relative.format(distance, 'day')
  return `${word.charAt(0).toLocaleUpperCase()}${word.slice(1)}`
}
