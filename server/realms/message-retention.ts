import { z } from 'zod'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'

// The retention of messages, in an organization and in single channels. A new period takes effect only after a grace
// period, so that a mistake deletes nothing.

/** The retention period of messages in days, or `UNLIMITED`, and the time from which it applies. */
export type Retention = { days: number; from: number }

export const invalidRetention = refusal(
  'REQUEST_VARIABLE_INVALID',
  400,
  "Bad value for 'message_retention_days': {value}",
  {
    field: 'message_retention_days',
    extras: ({ value }) => ({ var_name: 'message_retention_days', bad_value: value }),
  },
)

/** The number of days that stands for no limit. */
export const UNLIMITED = -1

/** The retention as clients send it: days, `unlimited` or `realm_default`. */
export const retentionParam = z.union([z.string(), z.int()])

/** Seconds until a change of the retention period takes effect. Until then, a mistake can be corrected. */
export const RETENTION_GRACE_PERIOD = SECONDS_PER_DAY

/** Returns the time before which messages are deleted, or null if none are. */
export function retentionCutoff({ days, from }: Retention, now: number): number | null {
  return days === UNLIMITED || now < from ? null : now - days * SECONDS_PER_DAY
}

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
