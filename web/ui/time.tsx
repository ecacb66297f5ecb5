import { useSelector } from '@tanstack/react-store'
import type { ReactNode } from 'react'
import {
  clockFormat,
  currentMinute,
  hourCycle,
  preciseMoment,
  relativeTime,
  shortMoment,
  type TimeFormat,
  timeFormat,
} from './moments.ts'

const medium = timeFormat({ dateStyle: 'medium', timeStyle: 'short' })

const MAX_TEXTS = 5000

/**
 * Caches formatted times by minute. Formatting takes longer than the rest of a message's head, and conversations are
 * opened repeatedly.
 */
function cachedTexts(format: () => TimeFormat): (at: number) => string {
  const texts = new Map<number, string>()
  hourCycle.subscribe(() => texts.clear())
  return (at) => {
    const minute = Math.floor(at / 60)
    const known = texts.get(minute)
    if (known !== undefined) return known
    if (texts.size >= MAX_TEXTS) texts.clear()
    const text = format().format(at * 1000)
    texts.set(minute, text)
    return text
  }
}

const fullTime = cachedTexts(timeFormat({ dateStyle: 'full', timeStyle: 'short' }))

/** Returns the date and time in the user's time zone; `at` is in UNIX seconds. */
export const absoluteTime = (at: number): string => medium().format(at * 1000)

/** Returns the time of day in the user's hour cycle; `at` is in UNIX seconds. */
export const clockTime = cachedTexts(clockFormat)

const FORMATS = {
  clock: clockTime,
  absolute: absoluteTime,
  short: shortMoment,
  precise: preciseMoment,
  relative: relativeTime,
  // A past event is never shown as a future one, even if the clocks of the server and the browser differ.
  ago: (at: number, now: number) => relativeTime(Math.min(at, now), now),
}

/**
 * A time. `as` is its form: `clock` is the time of day, `absolute` the date and time, `short` the short form of lists,
 * `precise` a time of the last week with seconds, `relative` the distance from now, and `ago` the distance of a past event.
 */
export function Time({ at, as }: { at: number; as: keyof typeof FORMATS }): ReactNode {
  useSelector(hourCycle)
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={fullTime(at)}>
      {as === 'clock' ? clockTime(at) : <TimeFromNow at={at} as={as} />}
    </time>
  )
}

const TimeFromNow = ({ at, as }: { at: number; as: keyof typeof FORMATS }): ReactNode =>
  useSelector(currentMinute, (now) => FORMATS[as](at, now))
