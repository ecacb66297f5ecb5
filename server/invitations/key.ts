import { createHmac, type KeyObject } from 'node:crypto'
import { fromBase32, toBase32 } from '#lib/security/secrets.ts'
import type { Invitation } from './invitation.ts'

/** A key has 160 bits, which are 32 characters in base32. */
const PATTERN = /^[a-z2-7]{32}$/

/** A key has 20 bytes. This many of them contain the invitation's id. */
const NUMBER_BYTES = 5
const NUMBERS = 2 ** (8 * NUMBER_BYTES)

/** The number of characters that these bytes take. */
const NUMBER_LENGTH = (NUMBER_BYTES * 8) / 5

/** The fields from which a key is derived, together with the server's secret. */
export type KeySource = Pick<Invitation, 'id' | 'keySeed' | 'formerKeyHash'>

/**
 * Returns the key in an invitation's link. The key is derived from the invitation's seed and the server's secret, so
 * that it can be shown again without being stored. It begins with the invitation's id, masked by a hash of the rest.
 * Without the secret, the whole key looks random.
 */
export function invitationKey(secret: KeyObject, { id, keySeed, formerKeyHash }: KeySource): string {
  if (formerKeyHash !== null) return toBase32(digest(secret, `invitation ${keySeed}`).subarray(0, 20))
  const seal = toBase32(digest(secret, `invitation ${id} ${keySeed}`).subarray(NUMBER_BYTES, 20))
  const number = Buffer.alloc(NUMBER_BYTES)
  number.writeUIntBE((id + maskOf(secret, seal)) % NUMBERS, 0, NUMBER_BYTES)
  return toBase32(number) + seal
}

/** Returns the id that the key contains, whether or not an invitation has this key; null if the text is not a key. */
export function idInKey(secret: KeyObject, key: string): number | null {
  if (!PATTERN.test(key)) return null
  const number = fromBase32(key.slice(0, NUMBER_LENGTH)).readUIntBE(0, NUMBER_BYTES)
  return (number - maskOf(secret, key.slice(NUMBER_LENGTH)) + NUMBERS) % NUMBERS
}

const maskOf = (secret: KeyObject, seal: string): number =>
  digest(secret, `invitation mask ${seal}`).readUIntBE(0, NUMBER_BYTES)

const digest = (secret: KeyObject, text: string): Buffer => createHmac('sha256', secret).update(text).digest()
