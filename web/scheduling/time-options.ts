import { t } from '../text/t.ts'

/** A time in UNIX seconds with its label. */
export type ScheduleOption = { readonly name: string; readonly at: number }

/** Returns common times for sending later, soonest first, in the user's time zone. */
export function scheduleOptions(now: number): ScheduleOption[] {
  const today = new Date(now * 1000)
  const on = (days: number, hour: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hour).getTime() / 1000
  const evening = on(0, 18)
  const daysToMonday = (8 - today.getDay()) % 7 || 7
  return [
    { name: t('In an hour'), at: Math.floor(now) + 3600 },
    ...(evening > now + 3600 ? [{ name: t('This evening'), at: evening }] : []),
    { name: t('Tomorrow morning'), at: on(1, 9) },
    ...(daysToMonday > 1
      ? [{ name: daysToMonday === 7 ? t('Next Monday morning') : t('Monday morning'), at: on(daysToMonday, 9) }]
      : []),
  ]
}

/** Returns a time as a `datetime-local` value in the user's time zone. */
export function toLocalMinute(at: number): string {
  const zone = new Date(at * 1000).getTimezoneOffset() * 60
  return new Date((at - zone) * 1000).toISOString().slice(0, 16)
}

/** Returns the time of a `datetime-local` value in UNIX seconds; null if it is incomplete. */
export function readLocalMinute(value: string): number | null {
  const at = Date.parse(value) / 1000
  return Number.isNaN(at) ? null : at
}

/** Returns an error for an invalid time; null if it is valid. */
export function scheduleError(at: number | null, now: number): string | null {
  if (at === null) return t('Enter a date and time.')
  return at <= now ? t('Choose a time in the future.') : null
}

/** An end time to choose; `at` is in UNIX seconds. */
type EndOption = { readonly id: EndId; readonly label: string; readonly at: number }

export type EndId = 'half-hour' | 'hour' | 'four-hours' | 'tomorrow' | 'week'

/** Returns common end times, soonest first, in the user's time zone. "Tomorrow" and "Monday" mean 9:00 on that day. */
export function endOptions(now: number): EndOption[] {
  const today = new Date(now * 1000)
  const morning = (days: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, 9).getTime() / 1000
  const daysToMonday = (8 - today.getDay()) % 7 || 7
  const start = Math.floor(now)
  return [
    { id: 'half-hour', label: t('For 30 minutes'), at: start + 1800 },
    { id: 'hour', label: t('For 1 hour'), at: start + 3600 },
    { id: 'four-hours', label: t('For 4 hours'), at: start + 4 * 3600 },
    { id: 'tomorrow', label: t('Until tomorrow'), at: morning(1) },
    ...(daysToMonday > 1 ? [{ id: 'week' as const, label: t('Until Monday'), at: morning(daysToMonday) }] : []),
  ]
}

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
