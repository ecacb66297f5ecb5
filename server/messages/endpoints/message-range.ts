import { z } from 'zod'
import { textOrJson } from '#http/params.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { NEWEST } from '../narrow/find-page.ts'
import type { MessageRange } from '../reading/list-messages.ts'

const invalidAnchor = refusal('BAD_REQUEST', 400, 'Invalid anchor', { field: 'anchor' })
const anchorMissing = refusal('BAD_REQUEST', 400, "Missing 'anchor' argument.", { field: 'anchor' })
const tooManyMessages = refusal('BAD_REQUEST', 400, 'Too many messages requested (maximum {most}).')
const anchorExcludedWithin = refusal('BAD_REQUEST', 400, 'The anchor can only be excluded at an end of the range', {
  field: 'include_anchor',
})

export const rangeRefusals = [anchorMissing, invalidAnchor, tooManyMessages, anchorExcludedWithin]

/** The maximum number of messages per request. */
const MAX_COUNT = 5000

export const anchorParam = textOrJson(
  z.string().describe('A message id, `newest`, `oldest` or `first_unread`. The id need not be of an existing message.'),
  z.int(),
)

export const includeAnchorParam = z.boolean().default(true).describe('Whether the range includes the anchor message.')

type Given = {
  anchor?: string | undefined
  include_anchor: boolean
  num_before?: number | undefined
  num_after?: number | undefined
  use_first_unread_anchor?: boolean
}

/** Reads the range from the parameters of a request. */
export function readRange(given: Given): MessageRange {
  const { num_before: before = 0, num_after: after = 0, include_anchor: includesAnchor } = given
  if (before + after > MAX_COUNT) throw tooManyMessages({ most: MAX_COUNT })
  if (before > 0 && after > 0 && !includesAnchor) throw anchorExcludedWithin()
  const anchor = given.use_first_unread_anchor === true ? null : readAnchor(given.anchor)
  return { anchor, before, after, includesAnchor }
}

/** Returns the message id of the anchor, or null for the first unread message. */
function readAnchor(text: string | undefined): number | null {
  if (text === undefined) throw anchorMissing()
  if (text === 'newest') return NEWEST
  if (text === 'oldest') return 0
  if (text === 'first_unread') return null
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw invalidAnchor()
  return Math.min(Math.max(Number(text), 0), NEWEST)
}
