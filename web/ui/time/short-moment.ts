import { clockFormat } from './clock.ts'

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dateWithYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

const DAY = 86_400_000

/** Returns a past time as a list shows it: today's by the clock, this week's by the day, older ones by the date. */
export function shortMoment(at: number, now: number): string {
  const [then, today] = [new Date(at * 1000), new Date(now * 1000)]
  const daysAgo = Math.round((startOfDay(today) - startOfDay(then)) / DAY)
  if (daysAgo <= 0) return clockFormat().format(then)
  if (daysAgo < 7) return weekday.format(then)
  return (then.getFullYear() === today.getFullYear() ? date : dateWithYear).format(then)
}

const startOfDay = (moment: Date): number => new Date(moment).setHours(0, 0, 0, 0)
