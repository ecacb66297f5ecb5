import type { ReactNode } from 'react'
import { createStore, type Readable } from '../create-store.ts'
import { relativeTime } from './relative-time.ts'
import { shortMoment } from './short-moment.ts'

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const medium = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
/** The texts of the last times: formatting takes longer than the rest of a message's head, and conversations are opened again. */
const fullTimes = new Map<number, string>()
const MAX_TIMES = 5000

function fullTime(at: number): string {
  const known = fullTimes.get(at)
  if (known !== undefined) return known
  if (fullTimes.size >= MAX_TIMES) fullTimes.clear()
  const text = full.format(at * 1000)
  fullTimes.set(at, text)
  return text
}

const clockTimes = createStore(new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }))

/** Chooses between 24 and 12 hours for times of the day. */
export function setHourCycle(is24Hours: boolean): void {
  const hourCycle = is24Hours ? 'h23' : 'h12'
  if (clockTimes.get().resolvedOptions().hourCycle === hourCycle) return
  clockTimes.set(
    new Intl.DateTimeFormat(undefined, { hour: is24Hours ? '2-digit' : 'numeric', minute: '2-digit', hourCycle }),
  )
}

/** Returns date and time in the user's time zone; `at` is in UNIX seconds. */
export const absoluteTime = (at: number): string => medium.format(at * 1000)

/** Returns the time of the day as the user reads it. */
export const clockTime = (at: number): string => clockTimes.get().format(at * 1000)

const FORMATS = {
  clock: clockTime,
  absolute: absoluteTime,
  short: shortMoment,
  relative: relativeTime,
  // Past events are never shown as future ones, even if the clocks of server and browser differ.
  ago: (at: number, now: number) => relativeTime(Math.min(at, now), now),
}

/**
 * A time in one of three forms: `clock` is the time of day, `relative` the distance from now, `ago` the same for past
 * events.
 */
export function Time({ at, as }: { at: number; as: keyof typeof FORMATS }): ReactNode {
  clockTimes.use()
  const text = currentMinute.usePart((now) => FORMATS[as](at, now))
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={fullTime(at)}>
      {text}
    </time>
  )
}

const seconds = () => Math.floor(Date.now() / 1000)
const minute = createStore(seconds())
setInterval(() => minute.set(seconds()), 30_000)

/** The time in UNIX seconds, at most half a minute old. */
export const currentMinute: Readable<number> = minute

/** Returns the time in UNIX seconds, at most half a minute old. */
export const useMinute = minute.use
