const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+/i
const TIME = String.raw`(?:(?:\s*,?\s+(?:at\s+)?|T)(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*([ap]m)?\s*(z|utc|gmt|[+-]\d\d:?\d\d)?)?`
/** Each names year, month and day; what follows is the same for all. */
const DATES = [
  '(?<year>\\d{4})[-/](?<month>\\d{1,2})[-/](?<day>\\d{1,2})',
  '(?<day>\\d{1,2})(?:st|nd|rd|th)?[\\s-]+(?<month>[a-z]{3,9})\\.?,?[\\s-]+(?<year>\\d{4})',
  '(?<month>[a-z]{3,9})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>\\d{4})',
].map((date) => new RegExp(`^${date}${TIME}$`, 'i'))

/** What clients can show, in milliseconds: the years 1 to 9999. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59Z')

/** The moment as `YYYY-MM-DDTHH:MM:SSZ`, or `null` when the text names none. Without a zone it is meant as UTC. */
export function parseTime(typed: string): string | null {
  const text = typed.trim().replace(WEEKDAY, '')
  const milliseconds = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : parseDate(text)
  if (milliseconds === null || milliseconds < EARLIEST || milliseconds > LATEST) return null
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}

function parseDate(text: string): number | null {
  const match = DATES.map((pattern) => pattern.exec(text)).find((found) => found !== null)
  if (!match?.groups) return null
  const { year, month, day } = match.groups
  const [hours, minutes, seconds, half, zone] = match.slice(4)
  const hour = toHour(hours, half)
  const monthIndex = monthOf(month ?? '')
  if (hour === null || monthIndex === null) return null
  const fields = [Number(year), monthIndex, Number(day), hour, Number(minutes ?? 0), Number(seconds ?? 0)] as const
  const moment = new Date(0)
  moment.setUTCFullYear(fields[0], fields[1], fields[2])
  moment.setUTCHours(fields[3], fields[4], fields[5])
  const isReal = moment.getUTCDate() === fields[2] && fields[3] < 24 && fields[4] < 60 && fields[5] < 60
  return isReal ? moment.getTime() - zoneOffset(zone) : null
}

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

function zoneOffset(zone: string | undefined): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '')
  if (!match) return 0
  const offset = (Number(match[2]) * 60 + Number(match[3])) * 60_000
  return match[1] === '-' ? -offset : offset
}
