import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '../../../platform/security/seal.ts'
import type { Db, Transaction } from '../../../platform/storage/storage.ts'
import { PASSWORD_RESET_VALIDITY, type PasswordReset } from '../passwords/password-reset.ts'
import type { User } from '../user.ts'

/** A change of a user's email address that another user, or the operator of the server, requested. */
export type EmailChangeRequest = {
  id: number
  userId: number
  /** Null if it was requested on the command line. */
  requesterId: number | null
  oldEmail: string
  newEmail: string
  requestedAt: number
  confirmedAt: number | null
  cancelledAt: number | null
}

/**
 * Seconds during which the owner of the old address can undo the change, and a pending change blocks password resets.
 */
const EMAIL_UNDO_VALIDITY = 72 * 3600

/** Seconds after which a request is deleted. */
const REQUEST_LIFETIME = 30 * 86_400

const columns = [
  'id',
  'userId',
  'requesterId',
  'oldEmail',
  'newEmail',
  'requestedAt',
  'confirmedAt',
  'cancelledAt',
] as const

/** Returns when the link to undo the change expires. */
const undoExpiresAt = ({ requestedAt }: EmailChangeRequest): number => requestedAt + EMAIL_UNDO_VALIDITY

export async function findEmailChangeRequest(db: Db, id: number): Promise<EmailChangeRequest | null> {
  const row = await db.selectFrom('emailChangeRequests').select(columns).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Saves the request and cancels the pending requests of the same account. Returns its id. */
export async function saveEmailChangeRequest(
  tx: Transaction,
  user: User,
  { requesterId, newEmail }: Pick<EmailChangeRequest, 'requesterId' | 'newEmail'>,
): Promise<number> {
  await tx
    .deleteFrom('emailChangeRequests')
    .where('userId', '=', user.id)
    .where('requestedAt', '<', tx.now - REQUEST_LIFETIME)
    .execute()
  await cancelPendingEmailChanges(tx, user.id)
  const { id } = await tx
    .insertInto('emailChangeRequests')
    .values({
      realmId: user.realmId,
      userId: user.id,
      requesterId,
      oldEmail: user.deliveryEmail,
      oldEmailKey: user.deliveryEmail.toLowerCase(),
      newEmail,
      requestedAt: tx.now,
      confirmedAt: null,
      cancelledAt: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function cancelPendingEmailChanges(tx: Transaction, userId: number): Promise<void> {
  await tx
    .updateTable('emailChangeRequests')
    .set({ cancelledAt: tx.now })
    .where('userId', '=', userId)
    .where('confirmedAt', 'is', null)
    .where('cancelledAt', 'is', null)
    .execute()
}

/** Returns false and changes nothing if the request is no longer pending. */
export async function saveEmailChangeConfirmation(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('emailChangeRequests')
    .set({ confirmedAt: tx.now })
    .where('id', '=', id)
    .where('confirmedAt', 'is', null)
    .where('cancelledAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Cancels the request and all later requests of the account, and returns when the request was confirmed. Returns
 * undefined and changes nothing if it was already canceled.
 */
export async function cancelEmailChangesSince(
  tx: Transaction,
  { id, userId }: Pick<EmailChangeRequest, 'id' | 'userId'>,
): Promise<{ confirmedAt: number | null } | undefined> {
  const cancelled = await tx
    .updateTable('emailChangeRequests')
    .set({ cancelledAt: tx.now })
    .where('id', '=', id)
    .where('cancelledAt', 'is', null)
    .returning('confirmedAt')
    .executeTakeFirst()
  if (cancelled === undefined) return undefined
  await tx
    .updateTable('emailChangeRequests')
    .set({ cancelledAt: tx.now })
    .where('userId', '=', userId)
    .where('id', '>', id)
    .where('cancelledAt', 'is', null)
    .execute()
  return cancelled
}

/** Returns whether an account other than `userId` can still get the address back by undoing a change. */
export async function isReservedEmail(
  tx: Transaction,
  realmId: number,
  email: string,
  userId: number | null,
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('emailChangeRequests')
    .select('id')
    .where('realmId', '=', realmId)
    .where('oldEmailKey', '=', email.toLowerCase())
    .where('userId', '!=', userId ?? 0)
    .where('confirmedAt', 'is not', null)
    .where('cancelledAt', 'is', null)
    .where('requestedAt', '>', tx.now - EMAIL_UNDO_VALIDITY)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns whether a request by another user blocks the password reset: a request that is pending, or that was made
 * after the reset was requested.
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

const sealContext = ({ oldEmail }: EmailChangeRequest) => ['email change undone', oldEmail]
const content = ({ id }: EmailChangeRequest) => [id]

/** Returns the key at the end of the link that undoes the change. */
export function emailUndoKey(secret: KeyObject, request: EmailChangeRequest): string {
  return seal(secret, sealContext(request), content(request))
}

const undoTuple = z.tuple([z.int()])

/** Returns the request that the key undoes, or null if the key is invalid or has expired. */
export async function findUndoableEmailChange(
  db: Db,
  secret: KeyObject,
  key: string,
  now: number,
): Promise<EmailChangeRequest | null> {
  const parsed = undoTuple.safeParse(readSealedContent(key))
  const request = parsed.success ? await findEmailChangeRequest(db, parsed.data[0]) : null
  if (request === null || request.cancelledAt !== null || undoExpiresAt(request) <= now) return null
  return verifySeal(secret, sealContext(request), content(request), key) ? request : null
}
