import type { StateInline } from 'markdown-it'
import { matchHere, pushMarkup } from '../context.ts'
import { element, fromCode } from '../markup.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+/i

const ZONE = String.raw`(?:\s*(?<zone>z|utc|gmt)?(?<offset>[+-]\d\d?(?::?\d\d)?)?)`
const CLOCK = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{1,2})(?::(?<second>\d{1,2})(?:[.,](?<fraction>\d+))?)?)?\s*(?<half>[ap]m)?`
const TIME = String.raw`(?:(?:\s*,?\s+(?:at\s+)?|T)${CLOCK}${ZONE})?`
const MONTH = '(?<month>[a-z]{3,9})\\.?'

/** Each format has a year, a month and a day, and optionally a time. */
const FORMATS = [
  `(?<year>\\d{4})([-/.])(?<month>\\d{1,2})\\2(?<day>\\d{1,2})${TIME}`,
  `(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)(?:T?(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)?${ZONE})?`,
  `(?<month>1[0-2]|0?[1-9])([-/.])(?<day>\\d{1,2})\\2(?<year>\\d{4})${TIME}`,
  `(?<day>\\d{1,2})([-/.])(?<month>\\d{1,2})\\2(?<year>\\d{4})${TIME}`,
  `(?<day>\\d{1,2})(?:st|nd|rd|th)?[\\s-]+${MONTH},?[\\s-]+(?<year>\\d{4})${TIME}`,
  `${MONTH}\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})${TIME}`,
  `${MONTH}\\s+(?<day>\\d{1,2})\\s+${CLOCK}${ZONE}\\s+(?<year>\\d{4})`,
].map((format) => new RegExp(`^${format}$`, 'i'))

/** The range of times that clients can display, in milliseconds: the years 1 to 9999. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59Z')

/** A time in whole seconds since 1970, and its fraction as six digits. */
type Moment = { readonly seconds: number; readonly microseconds: string }

/**
 * Returns the time as `YYYY-MM-DDTHH:MM:SSZ`, with a fraction of six digits if the text has a fraction. Returns null if
 * the text is not a time. UTC is the default time zone.
 */
export function parseTime(typed: string): string | null {
  const text = typed.trim().replace(WEEKDAY, '')
  const moment = parseDate(text) ?? parseUnixTime(text)
  if (moment === null) return null
  const milliseconds = moment.seconds * 1000
  if (milliseconds < EARLIEST || milliseconds > LATEST) return null
  const whole = new Date(milliseconds).toISOString().replace(/\.\d+Z$/, '')
  return moment.microseconds === '000000' ? `${whole}Z` : `${whole}.${moment.microseconds}Z`
}

function parseUnixTime(text: string): Moment | null {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text)
  return match === null ? null : { seconds: Number(match[1]), microseconds: toMicroseconds(match[2]) }
}

function parseDate(text: string): Moment | null {
  for (const format of FORMATS) {
    const moment = toMoment(format.exec(text)?.groups)
    if (moment !== null) return moment
  }
  return null
}

function toMoment(parts: Record<string, string | undefined> | undefined): Moment | null {
  if (parts === undefined) return null
  const hour = toHour(parts['hour'], parts['half'])
  const month = monthOf(parts['month'] ?? '')
  if (hour === null || month === null) return null
  const [year, day] = [Number(parts['year']), Number(parts['day'])]
  const [minute, second] = [Number(parts['minute'] ?? 0), Number(parts['second'] ?? 0)]
  const moment = new Date(0)
  moment.setUTCFullYear(year, month, day)
  moment.setUTCHours(hour, minute, second)
  const isReal = moment.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  const seconds = moment.getTime() / 1000 - zoneOffset(parts['zone'], parts['offset'])
  return isReal ? { seconds, microseconds: toMicroseconds(parts['fraction']) } : null
}

const toMicroseconds = (fraction = '') => fraction.slice(0, 6).padEnd(6, '0')

function monthOf(name: string): number | null {
  if (/^\d+$/.test(name)) return Number(name) >= 1 && Number(name) <= 12 ? Number(name) - 1 : null
  const index = MONTHS.indexOf(name.slice(0, 3).toLowerCase())
  return index < 0 ? null : index
}

function toHour(hours: string | undefined, half: string | undefined): number | null {
  const hour = Number(hours ?? 0)
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
}

/** Returns the offset in seconds. An offset after a zone name has the opposite sign, as on the reference server. */
function zoneOffset(zone: string | undefined, offset = '+00'): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d?):?(\d\d)?$/.exec(offset) ?? []
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  return (sign === '-') === (zone === undefined || zone.toLowerCase() === 'z') ? -seconds : seconds
}

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
