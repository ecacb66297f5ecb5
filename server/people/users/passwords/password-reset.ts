import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '#lib/security/seal.ts'
import type { User } from '../user.ts'

/** A permission to choose a new password. A link with this permission is emailed to the account's address. */
export type PasswordReset = { userId: number; expiresAt: number }

export const passwordReset = z.object({ userId: z.int(), expiresAt: z.number() })

/** Seconds until the reset link expires. */
export const PASSWORD_RESET_VALIDITY = 3600

/** The current address and password of the account. */
type ResetContext = { user: Pick<User, 'deliveryEmail'>; passwordHash: string | null }

const sealContext = ({ user, passwordHash }: ResetContext) => ['password reset', user.deliveryEmail, passwordHash]
const content = ({ userId, expiresAt }: PasswordReset) => [userId, expiresAt]

/**
 * Returns the key at the end of the reset link. The key becomes invalid when the password or the address of the account
 * changes.
 */
export function passwordResetKey(secret: KeyObject, reset: PasswordReset, context: ResetContext): string {
  return seal(secret, sealContext(context), content(reset))
}

const resetTuple = z.tuple([z.int(), z.number()])

/**
 * Returns the reset that a key claims to permit, without verifying the key. Returns null if the key cannot be parsed.
 */
export function readPasswordReset(key: string): PasswordReset | null {
  const parsed = resetTuple.safeParse(readSealedContent(key))
  return parsed.success ? { userId: parsed.data[0], expiresAt: parsed.data[1] } : null
}

/** Returns whether the key belongs to this reset, and neither the password nor the address has changed since. */
export function isPasswordResetKey(
  secret: KeyObject,
  key: string,
  reset: PasswordReset,
  context: ResetContext,
): boolean {
  return verifySeal(secret, sealContext(context), content(reset), key)
}
