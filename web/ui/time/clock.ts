import { createStore, type Readable } from '../create-store.ts'

type HourCycle = 'h12' | 'h23'

const store = createStore<HourCycle | undefined>(undefined)

/** The hour cycle of times; undefined for the browser's default. */
export const hourCycle: Readable<HourCycle | undefined> = store

/** Chooses between 24 and 12 hours for times of the day. */
export const setHourCycle = (is24Hours: boolean): void => store.set(is24Hours ? 'h23' : 'h12')

/**
 * Returns a function that returns the format for the chosen hour cycle. A new format is made only when the cycle
 * changes.
 */
export function timeFormat(options: Intl.DateTimeFormatOptions): () => Intl.DateTimeFormat {
  let made: { readonly cycle: HourCycle | undefined; readonly format: Intl.DateTimeFormat } | undefined
  return () => {
    const cycle = hourCycle.get()
    if (made?.cycle !== cycle || made === undefined)
      made = { cycle, format: new Intl.DateTimeFormat(undefined, { ...options, ...(cycle && { hourCycle: cycle }) }) }
    return made.format
  }
}

/** The format of a time of day, such as "5:00 PM" or "17:00". */
export const clockFormat = timeFormat({ timeStyle: 'short' })
