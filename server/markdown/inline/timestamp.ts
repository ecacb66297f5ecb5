import type { StateInline } from 'markdown-it'
import { element, fromCode } from '../markup.ts'
import { parseTime } from '../time-formats.ts'
import { matchHere, pushMarkup } from './push.ts'

const TIMESTAMP = /<time:([^>\n]{0,300})>/y

/** Parses `<time:…>`. Clients display the time in the reader's time zone. */
export function timestamp(state: StateInline): boolean {
  const match = matchHere(state, TIMESTAMP, /./s)
  if (!match) return false
  const typed = match[1] ?? ''
  const datetime = parseTime(typed)
  const html =
    datetime === null
      ? element('span', { class: 'timestamp-error' }, fromCode(`Invalid time format: ${typed}`))
      : element('time', { datetime }, fromCode(typed))
  return pushMarkup(state, html, TIMESTAMP.lastIndex)
}
