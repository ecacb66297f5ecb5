import { createHmac, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { equalSecrets } from '../base/secrets.ts'

/** A wish for another address, which counts once whoever reads the mail sent there confirms it. */
export type EmailChange = { userId: number; newEmail: string; expiresAt: number }

export const emailChange = z.object({ userId: z.int(), newEmail: z.string(), expiresAt: z.number() })

/** How long the link in the mail is good for. */
export const EMAIL_CHANGE_VALIDITY = 86_400

/** When the change was asked for. */
export const askedAt = ({ expiresAt }: EmailChange) => expiresAt - EMAIL_CHANGE_VALIDITY

/** The end of the link that confirms a change. It is dead once the account has another address than `oldEmail`. */
export function emailChangeKey(secret: KeyObject, change: EmailChange, oldEmail: string): string {
  const { userId, newEmail, expiresAt } = change
  const wish = Buffer.from(JSON.stringify([userId, newEmail, expiresAt]))
  const seal = createHmac('sha256', secret)
    .update(JSON.stringify(['email change', oldEmail]))
    .update(wish)
  return `${wish.toString('base64url')}.${seal.digest('base64url')}`
}

const wish = z.tuple([z.int(), z.string(), z.number()])

/** What a key says that it confirms, nothing of which is proven yet; null when it is no key. */
export function readEmailChange(key: string): EmailChange | null {
  const [encoded = ''] = key.split('.')
  const text = Buffer.from(encoded, 'base64url').toString()
  const parsed = z.string().transform(parseJson).pipe(wish).safeParse(text)
  if (!parsed.success) return null
  const [userId, newEmail, expiresAt] = parsed.data
  return { userId, newEmail, expiresAt }
}

/** Whether the key is the one that was mailed for this change. */
export function provesEmailChange(secret: KeyObject, key: string, change: EmailChange, oldEmail: string): boolean {
  return equalSecrets(key, emailChangeKey(secret, change, oldEmail))
}

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'is no JSON' })
    return z.NEVER
  }
}
