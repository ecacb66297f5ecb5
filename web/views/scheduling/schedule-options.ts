import { t } from '../../text/t.ts'

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
    ...(daysToMonday > 1 ? [{ name: t('Monday morning'), at: on(daysToMonday, 9) }] : []),
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
