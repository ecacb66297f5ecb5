import { parse } from 'chrono-node/en'

/** A reminder: its time in UNIX seconds, and its text, which may be empty. */
type Reminder = { readonly at: number; readonly text: string }

/**
 * Reads a time at the start or the end of a text, such as "tomorrow at 9 call Ada" or "me to call Ada in 20 minutes";
 * null if there is none, or only a part of it has a meaning.
 */
export function readReminder(text: string, now: number): Reminder | null {
  const given = text.replace(/^me\b\s*/i, '')
  const found = parse(given, new Date(now * 1000), { forwardDate: true })
  const time =
    found.find(({ index }) => /^\s*(?:(?:at|on)\s+)?$/i.test(given.slice(0, index))) ?? found.findLast(isAtEndOf(given))
  if (time === undefined || hasUnreadTime(given.slice(time.index + time.text.length))) return null
  const start = given.slice(0, time.index)
  // "on in 20 minutes" contains no "on" that belongs to the time.
  const before = /^in\b/i.test(time.text) ? start : start.replace(/\b(?:at|on)\s*$/i, '')
  const rest = `${before}${given.slice(time.index + time.text.length)}`.trim()
  return {
    at: Math.floor(time.date().getTime() / 60_000) * 60,
    text: rest.replace(/^(?:(?:to|that|about)\s+|[,:–-]\s*)/i, '').replace(/^(["“])(.+)["”]$/s, '$2'),
  }
}

/** Returns true if the text after a time begins with a time of day that has no meaning, such as "at 99" or "9:77". */
const hasUnreadTime = (after: string): boolean => /^\s*(?:at\s+\d|\d+[:.]\d)/i.test(after)

const isAtEndOf =
  (given: string) =>
  ({ index, text }: { index: number; text: string }) =>
    given.slice(index + text.length).trim() === ''
