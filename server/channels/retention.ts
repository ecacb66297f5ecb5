import { z } from 'zod'
import { type Retention, UNLIMITED } from '../organizations/realms/retention.ts'
import { refusal } from '../platform/errors/refusal.ts'

export const invalidRetention = refusal('BAD_REQUEST', 400, "Bad value for 'message_retention_days': {value}")

/** How long messages are kept as clients say it: days, `unlimited`, or `realm_default`. */
export const retentionParam = z.union([z.string(), z.int()])

/** The days, -1 for no end, or null for what the organization has set. */
export function requireRetention(value: string | number): number | null {
  if (value === 'realm_default') return null
  if (value === 'unlimited') return UNLIMITED
  if (typeof value === 'string' || value <= 0) throw invalidRetention({ value })
  return value
}

/** What holds for a channel: its own days or, where these are null, what holds in its organization. */
export function channelRetention(own: { days: number | null; from: number }, ofRealm: Retention): Retention {
  return own.days === null
    ? { days: ofRealm.days, from: Math.max(own.from, ofRealm.from) }
    : { days: own.days, from: own.from }
}
