import { parse } from 'chrono-node/en'

/** The hour of a day that is named without a time. It is the hour of "Tomorrow morning" in menus. */
const MORNING = 9

/** A day and a bare hour, such as "tomorrow 9", which the parser reads only with "at". */
const DAY_AND_HOUR =
  /\b(today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|in \d+ days?)\s+(\d{1,2}(?:[:.]\d\d)?)\s*$/i

/** Words whose own hour the parser knows. */
const PART_OF_DAY = /\b(?:afternoon|evening|night|tonight|noon|midnight)\b/i

/**
 * Returns the time that English words such as "tomorrow at 9", "tomorrow 9", "next monday" or "in 20 minutes" name, in
 * UNIX seconds; null if they name none. A day without a time means its morning.
 */
export function readWords(text: string, now: number): number | null {
  const given = text.replace(/\b(?:the )?day after tomorrow\b/i, 'in 2 days').replace(DAY_AND_HOUR, '$1 at $2')
  const [found] = parse(given, new Date(now * 1000), { forwardDate: true })
  if (found === undefined) return null
  // A number that was not understood, such as "31.12.", would change the time.
  if (/\d/.test(given.replace(found.text, ''))) return null
  const date = found.date()
  const isInterval = /^in\b/i.test(given.trim()) && !/day after tomorrow/i.test(text)
  if (!found.start.isCertain('hour') && !isInterval && !PART_OF_DAY.test(given)) date.setHours(MORNING, 0, 0, 0)
  return Math.floor(date.getTime() / 60_000) * 60
}
