import { createHmac, type KeyObject } from 'node:crypto'
import { toBase32 } from '../base/secrets.ts'

/** 160 bits: 32 characters of base32. */
const KEY_BYTES = 20

/** Of a key, whatever it opens. */
export const INVITATION_KEY_PATTERN = /^[a-z2-7]{32}$/

/**
 * The key in an invitation's link, derived from the invitation's seed and the secret of the server: it can be shown
 * again, and lies nowhere at rest.
 */
export function invitationKey(secret: KeyObject, seed: string): string {
  const digest = createHmac('sha256', secret).update(`invitation ${seed}`).digest()
  return toBase32(digest.subarray(0, KEY_BYTES))
}
