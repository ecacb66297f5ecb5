import { parseDate } from 'chrono-node/en'

/** Returns the time that English words such as "tomorrow at 9" name, in UNIX seconds; null if they name none. */
export function readWords(text: string, now: number): number | null {
  const date = parseDate(text, new Date(now * 1000), { forwardDate: true })
  return date === null ? null : Math.floor(date.getTime() / 60_000) * 60
}
