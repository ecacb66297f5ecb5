import { createAtom, type ReadonlyAtom, useSelector } from '@tanstack/react-store'
import { t } from '../text/t.ts'

type HourCycle = 'h12' | 'h23'

const store = createAtom<HourCycle | undefined>(undefined)

/** The hour cycle of times; undefined for the browser's default. */
export const hourCycle: ReadonlyAtom<HourCycle | undefined> = store

/** Chooses between 24 and 12 hours for times of the day. */
export const setHourCycle = (is24Hours: boolean): void => store.set(is24Hours ? 'h23' : 'h12')

/** Formats times in milliseconds. */
export type TimeFormat = { readonly format: (at: number) => string }

/**
 * Returns a format for times. With 12 hours, it writes no zero before the hour: some locales, such as en-GB, have short
 * forms for 24 hours only, which give "08:37 am".
 */
export function makeTimeFormat(
  locale: string | undefined,
  options: Intl.DateTimeFormatOptions,
  cycle: HourCycle | undefined,
): TimeFormat {
  const given = new Intl.DateTimeFormat(locale, { ...options, ...(cycle && { hourCycle: cycle }) })
  if (cycle !== 'h12') return given
  const textOf = ({ type, value }: Intl.DateTimeFormatPart) => (type === 'hour' ? value.replace(/^0(?=.)/, '') : value)
  // `format` writes spaces for the narrow ones that the parts have.
  return { format: (at) => given.formatToParts(at).map(textOf).join('').replaceAll('\u202f', ' ') }
}

/**
 * Returns a function that returns the format for the chosen hour cycle. A new format is made only when the cycle
 * changes.
 */
export function timeFormat(options: Intl.DateTimeFormatOptions): () => TimeFormat {
  let made: { readonly cycle: HourCycle | undefined; readonly format: TimeFormat } | undefined
  return () => {
    const cycle = hourCycle.get()
    if (made?.cycle !== cycle || made === undefined) made = { cycle, format: makeTimeFormat(undefined, options, cycle) }
    return made.format
  }
}

/** The format of a time of day, such as "5:00 PM" or "17:00". */
export const clockFormat = timeFormat({ timeStyle: 'short' })

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

/**
 * Returns a relative time such as "in 3 days"; `at` and `now` are UNIX seconds. Days begin at midnight in the browser's
 * time zone.
 */
export function relativeTime(at: number, now: number): string {
  const distance = at - now
  if (Math.abs(distance) >= DAY) return relative.format(Math.round((midnight(at) - midnight(now)) / DAY), 'day')
  for (const [unit, seconds] of [['hour', 3600] as const, ['minute', 60] as const])
    if (Math.abs(distance) >= seconds) return relative.format(Math.round(distance / seconds), unit)
  return distance > 0 ? t('in less than a minute') : t('just now')
}

const midnight = (at: number): number => new Date(at * 1000).setHours(0, 0, 0, 0) / 1000

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dateWithYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

const DAY_MS = 86_400_000

/**
 * Returns a past time in the short form of lists: the time of day for today, the weekday for the six days before, and
 * the date for older times.
 */
export function shortMoment(at: number, now: number): string {
  const [then, today] = [new Date(at * 1000), new Date(now * 1000)]
  const daysAgo = Math.round((startOfDay(today) - startOfDay(then)) / DAY_MS)
  if (daysAgo <= 0) return clockFormat().format(at * 1000)
  if (daysAgo < 7) return weekday.format(then)
  return (then.getFullYear() === today.getFullYear() ? date : dateWithYear).format(then)
}

const clockWithSeconds = timeFormat({ timeStyle: 'medium' })
const weekdayWithSeconds = timeFormat({ weekday: 'short', hour: 'numeric', minute: '2-digit', second: '2-digit' })

/** Returns a time of the last seven days with its seconds, and with the weekday if it is not today. */
export const preciseMoment = (at: number, now: number): string =>
  (dayOf(at) === dayOf(now) ? clockWithSeconds : weekdayWithSeconds)().format(at * 1000)

const startOfDay = (moment: Date): number => new Date(moment).setHours(0, 0, 0, 0)

const seconds = () => Math.floor(Date.now() / 1000)
const minute = createAtom(seconds())
setInterval(() => minute.set(seconds()), 30_000)

/** The time in UNIX seconds, at most half a minute old. */
export const currentMinute: ReadonlyAtom<number> = minute

/** Returns the time in UNIX seconds, at most half a minute old. */
export const useMinute = (): number => useSelector(minute)

const HALF_A_YEAR = 182 * 86_400_000

/** Returns true if both time zones show the same time now and half a year from now. Two names of one zone always do. */
export function haveSameTime(one: string, other: string, now: number): boolean {
  if (one === other) return true
  const timeIn = (timeZone: string, at: number) =>
    new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at)
  try {
    return [now, now + HALF_A_YEAR].every((at) => timeIn(one, at) === timeIn(other, at))
  } catch {
    // The browser doesn't know one of the zones, so it can't tell whether they differ.
    return true
  }
}
