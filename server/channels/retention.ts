import { z } from 'zod'
import { refusal } from '#lib/errors/refusal.ts'
import { type Retention, UNLIMITED } from '#realms/retention.ts'

export const invalidRetention = refusal(
  'REQUEST_VARIABLE_INVALID',
  400,
  "Bad value for 'message_retention_days': {value}",
  {
    field: 'message_retention_days',
    extras: ({ value }) => ({ var_name: 'message_retention_days', bad_value: value }),
  },
)

/** The retention as clients send it: days, `unlimited` or `realm_default`. */
export const retentionParam = z.union([z.string(), z.int()])

/** Returns the number of days for which messages are kept: -1 for no limit, null for the organization's setting. */
export function requireRetention(value: string | number): number | null {
  if (value === 'realm_default') return null
  if (value === 'unlimited') return UNLIMITED
  if (typeof value === 'string' || value <= 0) throw invalidRetention({ value })
  return value
}

/**
 * Returns the retention that applies to a channel: the channel's own retention or, if its days are null, that of the
 * organization.
 */
export function channelRetention(own: { days: number | null; from: number }, ofRealm: Retention): Retention {
  return own.days === null
    ? { days: ofRealm.days, from: Math.max(own.from, ofRealm.from) }
    : { days: own.days, from: own.from }
}
