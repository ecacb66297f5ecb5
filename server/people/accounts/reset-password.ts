import type { KeyObject } from 'node:crypto'
import { queueMail } from '../../delivery/mail/outbox.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { deleteSessionsOf } from '../sessions/queries.ts'
import { isResetBlocked } from '../users/addresses/email-change-requests.ts'
import { deleteAllApiKeys } from '../users/api-keys.ts'
import { PASSWORD_RESET_TEMPLATE } from '../users/email-templates.ts'
import { deleteKnownNetworks } from '../users/passwords/known-networks.ts'
import { findPasswordHash, replacePasswordHash } from '../users/passwords/password-queries.ts'
import {
  isPasswordResetKey,
  PASSWORD_RESET_VALIDITY,
  type PasswordReset,
  readPasswordReset,
} from '../users/passwords/password-reset.ts'
import { findUser, findUserByDeliveryEmail } from '../users/queries.ts'
import { isBot, type User } from '../users/user.ts'

/**
 * Mails a link to whoever has an account with this address. For an address of nobody the same is done and written, but
 * the mail is cancelled when it is to be sent: neither the answer nor its time tells who has an account. Returns the id of
 * the account, if there is one, for the log.
 */
export async function requestPasswordReset(tx: Transaction, realm: Realm, email: string): Promise<number | null> {
  const user = await findUserByDeliveryEmail(tx.db, realm.id, email)
  const isPerson = user !== null && user.deactivatedAt === null && !isBot(user)
  const data: PasswordReset = { userId: isPerson ? user.id : 0, expiresAt: tx.now + PASSWORD_RESET_VALIDITY }
  const recipient = user?.deliveryEmail ?? email
  await queueMail(tx, { realmId: realm.id, recipient, letter: PASSWORD_RESET_TEMPLATE, data })
  return isPerson ? user.id : null
}

export type PasswordResetTarget = { user: User; passwordHash: string | null; reset: PasswordReset }

/** Whose password the key may change; null when it is none, no longer, or of another organization. */
export async function findPasswordResetTarget(
  db: Db,
  secret: KeyObject,
  realm: Realm,
  key: string,
  now: number,
): Promise<PasswordResetTarget | null> {
  const reset = readPasswordReset(key)
  const user = reset === null ? null : await findUser(db, reset.userId)
  if (reset === null || user === null || reset.expiresAt <= now) return null
  if (user.realmId !== realm.id || user.deactivatedAt !== null || isBot(user)) return null
  const standing = { user, passwordHash: await findPasswordHash(db, user.id) }
  if (!isPasswordResetKey(secret, key, reset, standing) || (await isResetBlocked(db, reset, now))) return null
  return { ...standing, reset }
}

/**
 * Gives the account another password, and ends all its sessions and, if that is wanted, its API keys. False, with
 * nothing done, when the password is no longer the one that the key was made for, since a key counts once, or when a change
 * of the address was asked for meanwhile.
 */
export async function resetPassword(
  tx: Transaction,
  { user, passwordHash, reset }: PasswordResetTarget,
  { newHash, endsApiKeys }: { newHash: string; endsApiKeys: boolean },
): Promise<boolean> {
  if (await isResetBlocked(tx.db, reset, tx.now)) return false
  if (!(await replacePasswordHash(tx, user, passwordHash, newHash))) return false
  await deleteSessionsOf(tx, user.id)
  await deleteKnownNetworks(tx, user.id)
  if (endsApiKeys) await deleteAllApiKeys(tx, user.id)
  return true
}
