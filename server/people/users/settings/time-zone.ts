import { refusal } from '../../../platform/errors/refusal.ts'

export const invalidTimezone = refusal('BAD_REQUEST', 400, 'Invalid timezone: Value error, Not a recognized time zone')

/** A zone of the IANA database in its usual case, or '' for none; offsets such as `+01:00` are no zones. */
export function requireTimezone(given: string): string {
  if (given === '') return ''
  const known = knownZone(given)
  if (known === null) throw invalidTimezone()
  // An old name leads to a new one; clients want back what they said.
  return known.toLowerCase() === given.toLowerCase() ? known : given
}

/** The zone that a browser says that it is in, or `otherwise` where it says none that is known. */
export function timezoneOr(given: string, otherwise: string): string {
  return knownZone(given) ?? otherwise
}

function knownZone(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,49}$/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
