import { makeTimeFormat } from './clock.ts'

type Zone = { readonly locale?: string; readonly timeZone?: string }

/** Returns the day and the time, with the year if it is not the current year. `at` and `now` are in milliseconds. */
export function formatMoment(at: number, now: number, is24Hours: boolean, { locale, timeZone }: Zone = {}): string {
  const yearOf = (time: number) => new Intl.DateTimeFormat('en', { year: 'numeric', timeZone }).format(time)
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(yearOf(at) !== yearOf(now) && { year: 'numeric' }),
    hour: is24Hours ? '2-digit' : 'numeric',
    minute: '2-digit',
    timeZone,
  }
  return makeTimeFormat(locale, options, is24Hours ? 'h23' : 'h12').format(at)
}

/** Returns the whole date and the time with its zone. */
export function formatMomentFully(at: number, is24Hours: boolean, { locale, timeZone }: Zone = {}): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'full', timeStyle: 'long', timeZone }
  return makeTimeFormat(locale, options, is24Hours ? 'h23' : 'h12').format(at)
}
