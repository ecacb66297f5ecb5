import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { isSealed, readSealed, sealed } from '../../../platform/security/seal.ts'

/** A wish for another address, which counts once whoever reads the mail sent there confirms it. */
export type EmailChange = {
  userId: number
  newEmail: string
  expiresAt: number
  /** The row of the request when somebody else asked for it. */
  requestId?: number | undefined
}

export const emailChange = z.object({
  userId: z.int(),
  newEmail: z.string(),
  expiresAt: z.number(),
  requestId: z.int().optional(),
})

/** How long the link in the mail is good for. */
export const EMAIL_CHANGE_VALIDITY = 86_400

/** When the change was asked for. */
export const changeRequestedAt = ({ expiresAt }: EmailChange) => expiresAt - EMAIL_CHANGE_VALIDITY

const circumstances = (oldEmail: string) => ['email change', oldEmail]
const content = ({ userId, newEmail, expiresAt, requestId }: EmailChange) =>
  requestId === undefined ? [userId, newEmail, expiresAt] : [userId, newEmail, expiresAt, requestId]

/** The end of the link that confirms a change. It is dead once the account has another address than `oldEmail`. */
export function emailChangeKey(secret: KeyObject, change: EmailChange, oldEmail: string): string {
  return sealed(secret, circumstances(oldEmail), content(change))
}

const wish = z.union([z.tuple([z.int(), z.string(), z.number()]), z.tuple([z.int(), z.string(), z.number(), z.int()])])

/** What a key says that it confirms, nothing of which is proven yet; null when it is no key. */
export function readEmailChange(key: string): EmailChange | null {
  const parsed = wish.safeParse(readSealed(key))
  if (!parsed.success) return null
  const [userId, newEmail, expiresAt, requestId] = parsed.data
  return { userId, newEmail, expiresAt, requestId }
}

/** Whether the key is the one that was mailed for this change. */
export function isEmailChangeKey(secret: KeyObject, key: string, change: EmailChange, oldEmail: string): boolean {
  return isSealed(secret, circumstances(oldEmail), content(change), key)
}
