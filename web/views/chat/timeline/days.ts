const full = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const key = new Intl.DateTimeFormat('en-CA')
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const DAY = 86_400

/** Returns a key of the day in the user's time zone; `at` is in UNIX seconds. */
export const dayOf = (at: number): string => key.format(at * 1000)

/** Returns the label of a day, such as "today" or "yesterday". */
export function dayLabel(at: number, now = Date.now() / 1000): string {
  const shown = full.format(at * 1000)
  const distance = [0, -1].find((days) => dayOf(at) === dayOf(now + days * DAY))
  if (distance === undefined) return shown
  const word = relative.format(distance, 'day')
  return `${word.charAt(0).toLocaleUpperCase()}${word.slice(1)}, ${shown}`
}
