import { findSizeError } from '#http/body/json.ts'
import { badParameter } from '#http/refusals.ts'
import { refusal } from '#lib/errors/refusal.ts'

export const missingChannel = refusal('BAD_REQUEST', 400, 'Missing channel', { field: 'to' })
export const badChannelTarget = refusal('BAD_REQUEST', 400, 'Invalid data type for channel', { field: 'to' })
export const oneChannelOnly = refusal('BAD_REQUEST', 400, 'Expected exactly one channel', { field: 'to' })
export const badRecipients = refusal('BAD_REQUEST', 400, 'Invalid data type for recipients', { field: 'to' })
export const mixedRecipients = refusal(
  'BAD_REQUEST',
  400,
  'Recipient lists may contain emails or user IDs, but not both.',
  { field: 'to' },
)

/** Reads a channel from `to`: its id, its name as plain text or JSON, or a JSON list with one of these. */
export function readChannelTarget(to: string): number | string {
  const given = readJsonTarget(to)
  const value = Array.isArray(given) ? given[0] : given
  if (Array.isArray(given) && given.length !== 1) throw oneChannelOnly()
  if (typeof value === 'string' || Number.isInteger(value)) return value as number | string
  throw badChannelTarget()
}

/** Reads users from `to`: a JSON list of ids or email addresses, or comma-separated addresses. */
export function readPeopleTarget(to: string): number[] | string[] {
  const given = readJsonTarget(to)
  const list = typeof given === 'string' ? given.split(',') : given
  if (!Array.isArray(list)) throw badRecipients()
  const [first] = list
  if (list.some((value) => typeof value !== typeof first)) throw mixedRecipients()
  if (first === undefined) return []
  if (typeof first === 'string') {
    return (list as string[]).map((address) => address.trim()).filter((address) => address !== '')
  }
  if (!list.every((value) => Number.isInteger(value))) throw badRecipients()
  return list as number[]
}

/** Parses the text as JSON; returns it unchanged if it is not JSON. */
export function readJsonTarget(to: string): unknown {
  const complaint = findSizeError(to)
  if (complaint !== null) throw badParameter({ name: 'to', complaint: `to ${complaint}` })
  try {
    return JSON.parse(to)
  } catch {
    return to
  }
}
