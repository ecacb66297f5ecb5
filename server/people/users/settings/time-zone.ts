import { refusal } from '#lib/errors/refusal.ts'

export const invalidTimezone = refusal(
  'BAD_REQUEST',
  400,
  'Invalid timezone: Value error, Not a recognized time zone',
  { field: 'timezone' },
)

/** Returns an IANA time zone in its canonical case; empty if none is given. Offsets such as `+01:00` are refused. */
export function requireTimezone(given: string): string {
  if (given === '') return ''
  const zone = findZone(given)
  if (zone === null) throw invalidTimezone()
  // An old name resolves to a new one, but clients expect the name that they sent.
  return zone.toLowerCase() === given.toLowerCase() ? zone : given
}

/** Returns the time zone that a browser reports, or `fallback` if it is unknown. */
export function timezoneOr(given: string, fallback: string): string {
  return findZone(given) ?? fallback
}

function findZone(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,49}$/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
