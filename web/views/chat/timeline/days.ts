const full = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const key = new Intl.DateTimeFormat('en-CA')
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const DAY = 86_400

/** What days are told apart by, in the reader's zone; `at` in UNIX seconds. */
export const dayOf = (at: number): string => key.format(at * 1000)

/** The day as a reader wants it: today and yesterday by these words. */
export function dayLabel(at: number, now = Date.now() / 1000): string {
  const shown = full.format(at * 1000)
  const distance = [0, -1].find((days) => dayOf(at) === dayOf(now + days * DAY))
  if (distance === undefined) return shown
  const word = relative.format(distance, 'day')
  return `${word.charAt(0).toLocaleUpperCase()}${word.slice(1)}, ${shown}`
}
