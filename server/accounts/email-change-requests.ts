import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import type { User } from '#people/users.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Requested changes of email addresses, and the keys in the links that confirm or undo them. A key becomes invalid
// with the change of address that it is about. While the owner of the old address can undo a change, nobody else gets
// that address.

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

/** A change of a user's email address that was requested by another user or by the operator of the server. */
export type EmailChangeRequest = {
  id: number
  userId: number
  /** The id of the user who requested the change; null if it was requested on the command line. */
  requesterId: number | null
  oldEmail: string
  newEmail: string
  requestedAt: number
  confirmedAt: number | null
  cancelledAt: number | null
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

/**
 * Seconds for which the owner of the old address can undo the change, and for which a pending change blocks password
 * resets.
 */
export const EMAIL_UNDO_VALIDITY = 72 * 3600

/** Seconds after which a request for a change is deleted. */
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

/** Returns the time at which the link to undo the change expires. */
const undoExpiresAt = ({ requestedAt }: EmailChangeRequest): number => requestedAt + EMAIL_UNDO_VALIDITY

export async function findEmailChangeRequest(db: Db, id: number): Promise<EmailChangeRequest | null> {
  const row = await db.selectFrom('emailChangeRequests').select(columns).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Returns the address that the user has been asked to confirm, with a link that is still valid; null if there is none. */
export async function findPendingEmail(db: Db, userId: number, now: number): Promise<string | null> {
  const row = await db
    .selectFrom('emailChangeRequests')
    .select('newEmail')
    .where('userId', '=', userId)
    .where('confirmedAt', 'is', null)
    .where('cancelledAt', 'is', null)
    .where('requestedAt', '>', now - EMAIL_CHANGE_VALIDITY)
    .executeTakeFirst()
  return row?.newEmail ?? null
}

/** Saves the request and cancels other pending requests for the same account. Returns the request's id. */
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

/** Marks the request as confirmed. Returns false and changes nothing if the request is no longer pending. */
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
 * Cancels the request and all later requests for the account. Returns the time at which the request was confirmed, or
 * null if it was not. Returns undefined and changes nothing if the request was already canceled.
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

/** Returns whether an account other than `userId` can still get this address back by undoing a change. */
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

const undoSealContext = ({ oldEmail }: EmailChangeRequest) => ['email change undone', oldEmail]
const undoContent = ({ id }: EmailChangeRequest) => [id]

/** Returns the key at the end of the link that undoes the change. */
export function emailUndoKey(secret: KeyObject, request: EmailChangeRequest): string {
  return seal(secret, undoSealContext(request), undoContent(request))
}

const undoTuple = z.tuple([z.int()])

/**
 * Returns the request that the key undoes; null if the key is invalid or has expired, or if the request was canceled.
 */
export async function findUndoableEmailChange(
  db: Db,
  secret: KeyObject,
  key: string,
  now: number,
): Promise<EmailChangeRequest | null> {
  const parsed = undoTuple.safeParse(readSealedContent(key))
  const request = parsed.success ? await findEmailChangeRequest(db, parsed.data[0]) : null
  if (request === null || request.cancelledAt !== null || undoExpiresAt(request) <= now) return null
  return verifySeal(secret, undoSealContext(request), undoContent(request), key) ? request : null
}
