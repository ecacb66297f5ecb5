import { clockFormat } from './clock.ts'

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dateWithYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

const DAY = 86_400_000

/**
 * Returns a past time in the short form of lists: the time of day for today, the weekday for the six days before, and
 * the date for older times.
 */
export function shortMoment(at: number, now: number): string {
  const [then, today] = [new Date(at * 1000), new Date(now * 1000)]
  const daysAgo = Math.round((startOfDay(today) - startOfDay(then)) / DAY)
  if (daysAgo <= 0) return clockFormat().format(at * 1000)
  if (daysAgo < 7) return weekday.format(then)
  return (then.getFullYear() === today.getFullYear() ? date : dateWithYear).format(then)
}

const startOfDay = (moment: Date): number => new Date(moment).setHours(0, 0, 0, 0)
