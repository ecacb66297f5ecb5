import { parse } from 'chrono-node/en'

/** A reminder: its time in UNIX seconds, and its text, which may be empty. */
type Reminder = { readonly at: number; readonly text: string }

/** Reads a time at the start or the end of a text, such as "tomorrow at 9 call Ada"; null if there is none. */
export function readReminder(given: string, now: number): Reminder | null {
  const found = parse(given, new Date(now * 1000), { forwardDate: true })
  const time = found.find(({ index }) => given.slice(0, index).trim() === '') ?? found.findLast(isAtEndOf(given))
  if (time === undefined) return null
  const before = given.slice(0, time.index).replace(/\b(?:at|on)\s*$/i, '')
  const text = `${before}${given.slice(time.index + time.text.length)}`.trim()
  return {
    at: Math.floor(time.date().getTime() / 60_000) * 60,
    text: text.replace(/^(?:to|that|about|[,:–-])\s+/i, ''),
  }
}

const isAtEndOf =
  (given: string) =>
  ({ index, text }: { index: number; text: string }) =>
    given.slice(index + text.length).trim() === ''
