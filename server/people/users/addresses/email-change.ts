import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '#lib/security/seal.ts'

/**
 * A requested change of an email address. It takes effect when the user confirms it with the link emailed to the new
 * address.
 */
export type EmailChange = {
  userId: number
  newEmail: string
  expiresAt: number
  /** The id of the email change request, if another user requested the change. */
  requestId?: number | undefined
}

export const emailChange = z.object({
  userId: z.int(),
  newEmail: z.string(),
  expiresAt: z.number(),
  requestId: z.int().optional(),
})

/** Seconds until the confirmation link expires. */
export const EMAIL_CHANGE_VALIDITY = 86_400

export const changeRequestedAt = ({ expiresAt }: EmailChange) => expiresAt - EMAIL_CHANGE_VALIDITY

const sealContext = (oldEmail: string) => ['email change', oldEmail]
const content = ({ userId, newEmail, expiresAt, requestId }: EmailChange) =>
  requestId === undefined ? [userId, newEmail, expiresAt] : [userId, newEmail, expiresAt, requestId]

/**
 * Returns the key at the end of the confirmation link. The key becomes invalid when the address of the account is no
 * longer `oldEmail`.
 */
export function emailChangeKey(secret: KeyObject, change: EmailChange, oldEmail: string): string {
  return seal(secret, sealContext(oldEmail), content(change))
}

const changeTuple = z.union([
  z.tuple([z.int(), z.string(), z.number()]),
  z.tuple([z.int(), z.string(), z.number(), z.int()]),
])

/**
 * Returns the change that a key claims to confirm, without verifying the key. Returns null if the key cannot be parsed.
 */
export function readEmailChange(key: string): EmailChange | null {
  const parsed = changeTuple.safeParse(readSealedContent(key))
  if (!parsed.success) return null
  const [userId, newEmail, expiresAt, requestId] = parsed.data
  return { userId, newEmail, expiresAt, requestId }
}

/** Returns whether the key is the one that was emailed for this change. */
export function isEmailChangeKey(secret: KeyObject, key: string, change: EmailChange, oldEmail: string): boolean {
  return verifySeal(secret, sealContext(oldEmail), content(change), key)
}
