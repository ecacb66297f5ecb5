import { t } from '../../text/t.ts'

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' })
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' })

/**
 * Returns a short text for a future time, such as "15:30" or "tomorrow at 9:00". `at` and `now` are in UNIX seconds.
 * `clock` formats the time of the day.
 */
export function endMoment(at: number, now: number, clock: (at: number) => string): string {
  const time = clock(at)
  const days = Math.round((startOfDay(at) - startOfDay(now)) / 86_400_000)
  if (days <= 0) return time
  if (days === 1) return t('tomorrow at {time}', { time })
  return t('{day} at {time}', { day: (days < 7 ? weekday : date).format(at * 1000), time })
}

const startOfDay = (at: number): number => new Date(at * 1000).setHours(0, 0, 0, 0)
