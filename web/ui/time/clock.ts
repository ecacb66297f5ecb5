import { createStore, type Readable } from '../create-store.ts'

type HourCycle = 'h12' | 'h23'

const store = createStore<HourCycle | undefined>(undefined)

/** The hour cycle of times; undefined for the browser's default. */
export const hourCycle: Readable<HourCycle | undefined> = store

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
