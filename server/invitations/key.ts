import { createHmac, type KeyObject } from 'node:crypto'
import { fromBase32, toBase32 } from '../platform/security/secrets.ts'
import type { Invitation } from './invitation.ts'

/** 160 bits: 32 characters of base32, whatever it opens. */
const PATTERN = /^[a-z2-7]{32}$/

/** Of the 20 bytes of a key, those that say which invitation it opens. */
const NUMBER_BYTES = 5
const NUMBERS = 2 ** (8 * NUMBER_BYTES)

/** How many characters write them. */
const NUMBER_LENGTH = (NUMBER_BYTES * 8) / 5

/** What a key is derived from, together with the secret of the server. */
export type KeySource = Pick<Invitation, 'id' | 'keySeed' | 'formerKeyHash'>

/**
 * The key in an invitation's link, derived from the invitation's seed and the secret of the server: it can be shown
 * again, and lies nowhere at rest. It begins with the invitation's id, hidden by what follows: without the secret all of
 * it looks drawn by lot.
 */
export function invitationKey(secret: KeyObject, { id, keySeed, formerKeyHash }: KeySource): string {
  if (formerKeyHash !== null) return toBase32(digest(secret, `invitation ${keySeed}`).subarray(0, 20))
  const seal = toBase32(digest(secret, `invitation ${id} ${keySeed}`).subarray(NUMBER_BYTES, 20))
  const number = Buffer.alloc(NUMBER_BYTES)
  number.writeUIntBE((id + maskOf(secret, seal)) % NUMBERS, 0, NUMBER_BYTES)
  return toBase32(number) + seal
}

/** The id of the invitation that the key opens if it opens any; null for what is no key. */
export function idInKey(secret: KeyObject, key: string): number | null {
  if (!PATTERN.test(key)) return null
  const number = fromBase32(key.slice(0, NUMBER_LENGTH)).readUIntBE(0, NUMBER_BYTES)
  return (number - maskOf(secret, key.slice(NUMBER_LENGTH)) + NUMBERS) % NUMBERS
}

const maskOf = (secret: KeyObject, seal: string): number =>
  digest(secret, `invitation mask ${seal}`).readUIntBE(0, NUMBER_BYTES)

const digest = (secret: KeyObject, text: string): Buffer => createHmac('sha256', secret).update(text).digest()
