import { parse } from 'chrono-node/en'

/** A reminder: its time in UNIX seconds, and its text, which may be empty. */
type Reminder = { readonly at: number; readonly text: string }

/** The part of a text that is not a time, although a time is expected there; empty if the text is. */
type NoTime = { readonly noTime: string }

/**
 * Reads a time at the start or the end of a text, such as "tomorrow at 9 call Ada" or "me to call Ada in 20 minutes".
 */
export function readReminder(text: string, now: number): Reminder | NoTime {
  const given = text.replace(/^me\b\s*/i, '')
  const found = parse(given, new Date(now * 1000), { forwardDate: true })
  const time =
    found.find(({ index }) => /^\s*(?:(?:at|on)\s+)?$/i.test(given.slice(0, index))) ?? found.findLast(isAtEndOf(given))
  if (time === undefined) return { noTime: (TEXT_FIRST.test(given) ? /\S+\s*$/ : /\S+/).exec(given)?.[0].trim() ?? '' }
  const unread = time.start.isCertain('hour') ? null : UNREAD_TIME.exec(given.slice(time.index + time.text.length))
  if (unread !== null) return { noTime: unread[0].trim() }
  const start = given.slice(0, time.index)
  // "on in 20 minutes" contains no "on" that belongs to the time.
  const before = /^in\b/i.test(time.text) ? start : start.replace(/\b(?:at|on)\s*$/i, '')
  const rest = `${before}${given.slice(time.index + time.text.length)}`.trim()
  return {
    at: Math.floor(time.date().getTime() / 60_000) * 60,
    text: rest.replace(/^(?:(?:to|that|about)\s+|[,:–-]\s*)/i, '').replace(/^(["“])(.+)["”]$/s, '$2'),
  }
}

/** A time of day without a meaning behind a day, such as "at 99" or "9:77". */
const UNREAD_TIME = /^\s*(?:at\s+\d\S*|\d+[:.]\d\S*)/i

/** The start of a text whose time is expected at the end. */
const TEXT_FIRST = /^\s*(?:(?:to|that|about)\b|["“])/i

const isAtEndOf =
  (given: string) =>
  ({ index, text }: { index: number; text: string }) =>
    given.slice(index + text.length).trim() === ''
