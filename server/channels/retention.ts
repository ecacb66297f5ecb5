import { z } from 'zod'
import { refusal } from '../base/refusal.ts'

export const badRetention = refusal('BAD_REQUEST', 400, "Bad value for 'message_retention_days': {value}")

/** How long messages are kept as clients say it: days, `unlimited`, or `realm_default`. */
export const retentionParam = z.union([z.string(), z.int()])

const UNLIMITED = -1

/** The days, -1 for no end, or null for what the organization has set. */
export function requireRetention(value: string | number): number | null {
  if (value === 'realm_default') return null
  if (value === 'unlimited') return UNLIMITED
  if (typeof value === 'string' || value <= 0) throw badRetention({ value })
  return value
}
