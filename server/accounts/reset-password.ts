import type { KeyObject } from 'node:crypto'
import { queueMail } from '#mail/outbox.ts'
import { deleteSessionsOf } from '#people/sessions/queries.ts'
import { isResetBlocked } from '#people/users/addresses/email-change-requests.ts'
import { deleteAllApiKeys } from '#people/users/api-keys.ts'
import { findAccountIdsOfPerson } from '#people/users/daily-limits.ts'
import { PASSWORD_RESET_TEMPLATE } from '#people/users/email-templates.ts'
import { deleteKnownNetworks } from '#people/users/passwords/known-origins.ts'
import { findPasswordHash, replacePasswordHash } from '#people/users/passwords/password-queries.ts'
import {
  isPasswordResetKey,
  PASSWORD_RESET_VALIDITY,
  type PasswordReset,
  readPasswordReset,
} from '#people/users/passwords/password-reset.ts'
import { findUser, findUserByDeliveryEmail } from '#people/users/queries.ts'
import { isBot, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/**
 * Emails a reset link to the account with this address. For an unknown address, it queues the same email, which is
 * canceled later. Neither the response nor its time reveals which addresses have accounts. Returns the id of the
 * account for the log; null if there is none.
 */
export async function requestPasswordReset(tx: Transaction, realm: Realm, email: string): Promise<number | null> {
  const user = await findUserByDeliveryEmail(tx.db, realm.id, email)
  const isPerson = user !== null && user.deactivatedAt === null && !isBot(user)
  const data: PasswordReset = { userId: isPerson ? user.id : 0, expiresAt: tx.now + PASSWORD_RESET_VALIDITY }
  const recipient = user?.deliveryEmail ?? email
  await queueMail(tx, { realmId: realm.id, recipient, letter: PASSWORD_RESET_TEMPLATE, data })
  return isPerson ? user.id : null
}

type PasswordResetTarget = { user: User; passwordHash: string | null; reset: PasswordReset }

/**
 * Returns the account whose password the key may reset. Returns null if the key is invalid, has expired or belongs to
 * another organization, or if a change of the address blocks it.
 */
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
  const context = { user, passwordHash: await findPasswordHash(db, user.id) }
  if (!isPasswordResetKey(secret, key, reset, context) || (await isResetBlocked(db, reset, now))) return null
  return { ...context, reset }
}

/**
 * Sets a new password, and deletes all sessions of the account and, if requested, all API keys of the user and their
 * bots. Returns false and changes nothing if the password has changed since the key was made, because a key works only
 * once. Does the same if a change of the address was requested meanwhile.
 */
export async function resetPassword(
  tx: Transaction,
  { user, passwordHash, reset }: PasswordResetTarget,
  { newHash, deletesApiKeys }: { newHash: string; deletesApiKeys: boolean },
): Promise<boolean> {
  if (await isResetBlocked(tx.db, reset, tx.now)) return false
  if (!(await replacePasswordHash(tx, user, passwordHash, newHash))) return false
  await deleteSessionsOf(tx, user.id)
  await deleteKnownNetworks(tx, user.id)
  if (!deletesApiKeys) return true
  for (const id of await findAccountIdsOfPerson(tx.db, user)) await deleteAllApiKeys(tx, id)
  return true
}
