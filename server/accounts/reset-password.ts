import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { deleteIdentitiesOfUser } from '#identity/external-identities.ts'
import { findDirectoryLink, findSignInMethods } from '#identity/providers.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { queueMail } from '#mail/outbox.ts'
import { deleteAllApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { findAccountIdsOfPerson } from '#people/creation-limits.ts'
import { findPasswordHash, replacePasswordHash } from '#people/password-hashes.ts'
import { deleteKnownNetworks, deleteSessionsOf } from '#people/sessions.ts'
import { findUser, findUserByDeliveryEmail } from '#people/user-queries.ts'
import { isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { EMAIL_UNDO_VALIDITY } from './email-change-requests.ts'

// Password resets: the keys of their links, requests for a link, and the change of the password. A key becomes invalid
// with the first change of password or address. A request has the same effect for unknown addresses, so it does not
// reveal who has an account.

export const PASSWORD_RESET_TEMPLATE = 'password-reset'

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
function readPasswordReset(key: string): PasswordReset | null {
  const parsed = resetTuple.safeParse(readSealedContent(key))
  return parsed.success ? { userId: parsed.data[0], expiresAt: parsed.data[1] } : null
}

/** Returns whether the key belongs to this reset, and neither the password nor the address has changed since. */
function isPasswordResetKey(secret: KeyObject, key: string, reset: PasswordReset, context: ResetContext): boolean {
  return verifySeal(secret, sealContext(context), content(reset), key)
}

/**
 * Returns whether a change of the address that another user requested blocks the password reset. A change blocks it
 * while the change is pending, or if the change was requested after the reset.
 */
export async function isResetBlocked(db: Db, { userId, expiresAt }: PasswordReset, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('emailChangeRequests')
    .select('id')
    .where('userId', '=', userId)
    .where((is) =>
      is.or([
        is('requestedAt', '>=', expiresAt - PASSWORD_RESET_VALIDITY),
        is.and([
          is('confirmedAt', 'is', null),
          is('cancelledAt', 'is', null),
          is('requestedAt', '>', now - EMAIL_UNDO_VALIDITY),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Emails a reset link to the account with this address. For an unknown address, it queues the same email, which is
 * canceled later, and for an account that is connected to a directory. Neither the response nor its time reveals which
 * addresses have accounts. Returns the id of the account for the log; null if there is none.
 */
export async function requestPasswordReset(tx: Transaction, realm: Realm, email: string): Promise<number | null> {
  const user = await findUserByDeliveryEmail(tx.db, realm.id, email)
  const isPerson = user !== null && user.deactivatedAt === null && !isBot(user)
  const mayReset = isPerson && (await findDirectoryLink(tx.db, await findSignInMethods(tx.db, realm), user.id)) === null
  const data: PasswordReset = { userId: mayReset ? user.id : 0, expiresAt: tx.now + PASSWORD_RESET_VALIDITY }
  const recipient = user?.deliveryEmail ?? email
  await queueMail(tx, { realmId: realm.id, recipient, letter: PASSWORD_RESET_TEMPLATE, data })
  return mayReset ? user.id : null
}

export type PasswordResetTarget = {
  user: User
  passwordHash: string | null
  /** True if the account never had a password that could be forgotten or stolen. */
  isFirst: boolean
  reset: PasswordReset
}

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
  return { ...context, isFirst: context.passwordHash === null && !(await hadPassword(db, user)), reset }
}

/** Returns whether the password of an account without one was removed, as by an operator who locks others out. */
async function hadPassword(db: Db, { id, realmId }: User): Promise<boolean> {
  const row = await db
    .selectFrom('auditEntries')
    .select('id')
    .where('realmId', '=', realmId)
    .where('targetId', '=', id)
    .where('kind', '=', 'password_changed')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Sets a new password, and deletes all sessions of the account and, if requested, all API keys of the user and their
 * bots and the connected accounts of other services. Returns false and changes nothing if the password has changed since
 * the key was made, because a key works only once. Does the same if a change of the address was requested meanwhile.
 */
export async function resetPassword(
  tx: Transaction,
  { user, passwordHash, reset }: PasswordResetTarget,
  { newHash, deletesApiKeys }: { newHash: string; deletesApiKeys: boolean },
): Promise<boolean> {
  if (await isResetBlocked(tx.db, reset, tx.now)) return false
  if (!(await replacePasswordHash(tx, user, passwordHash, newHash))) return false
  await recordAudit(tx, user.realmId, 'password_changed', { targetId: user.id, by: 'reset' })
  await deleteSessionsOf(tx, user.id)
  await deleteKnownNetworks(tx, user.id)
  if (!deletesApiKeys) return true
  await deleteIdentitiesOfUser(tx, user.id)
  for (const id of await findAccountIdsOfPerson(tx.db, user)) await deleteAllApiKeys(tx, id)
  return true
}
