import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { isSealed, readSealed, sealed } from '../../../platform/security/seal.ts'
import type { User } from '../user.ts'

/** The leave to choose another password, for whoever reads the mail sent to the account's address. */
export type PasswordReset = { userId: number; expiresAt: number }

export const passwordReset = z.object({ userId: z.int(), expiresAt: z.number() })

/** How long the link in the mail is good for. */
export const PASSWORD_RESET_VALIDITY = 3600

/** Whose password it is, as it is now. */
type ResetContext = { user: Pick<User, 'deliveryEmail'>; passwordHash: string | null }

const circumstances = ({ user, passwordHash }: ResetContext) => ['password reset', user.deliveryEmail, passwordHash]
const content = ({ userId, expiresAt }: PasswordReset) => [userId, expiresAt]

/** The end of the link. It is dead once the account has another password, or another address. */
export function passwordResetKey(secret: KeyObject, reset: PasswordReset, standing: ResetContext): string {
  return sealed(secret, circumstances(standing), content(reset))
}

const leave = z.tuple([z.int(), z.number()])

/** What a key says that it is for, nothing of which is proven yet; null when it is no key. */
export function readPasswordReset(key: string): PasswordReset | null {
  const parsed = leave.safeParse(readSealed(key))
  return parsed.success ? { userId: parsed.data[0], expiresAt: parsed.data[1] } : null
}

/** Whether the key is one that was mailed, and no other password was set since. */
export function isPasswordResetKey(
  secret: KeyObject,
  key: string,
  reset: PasswordReset,
  standing: ResetContext,
): boolean {
  return isSealed(secret, circumstances(standing), content(reset), key)
}
