import { sql } from 'kysely'
import { refusal } from '#lib/errors.ts'
import { defineCache } from '#storage/cache.ts'
import { batches } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { parseHistory } from './message.ts'

// Legal holds on a person, a channel or the whole organization. While one lasts, messages and files that users or the
// retention setting delete disappear for everyone, but copies stay in tables that only exports of everything
// read. When the last hold that covers a copy ends, the copy is deleted.

/** A hold. It covers the organization if it names neither a user nor a channel. */
export type LegalHold = {
  id: number
  realmId: number
  userId: number | null
  channelId: number | null
  reason: string
  startedAt: number
}

export const heldByLaw = refusal('BAD_REQUEST', 400, 'A legal hold keeps the data of this user. End the hold first.')

const holdsOfRealm = defineCache<number, readonly LegalHold[]>({
  dependsOn: ['legalHolds'],
  limit: 1000,
  load: (db, realmId) => db.selectFrom('legalHolds').selectAll().where('realmId', '=', realmId).orderBy('id').execute(),
})

/** Returns the holds of the organization, oldest first. */
export const findLegalHolds = holdsOfRealm.get

const coversAll = ({ userId, channelId }: LegalHold) => userId === null && channelId === null

/** Refuses if a hold on the user or on the organization lasts. */
export async function requireNotHeld(db: Db, { id, realmId }: { id: number; realmId: number }): Promise<void> {
  const holds = await findLegalHolds(db, realmId)
  if (holds.some((hold) => coversAll(hold) || hold.userId === id)) throw heldByLaw()
}

type CoveredMessage = {
  senderId: number
  channelId: number | null
  participantsKey: string | null
  editHistory: string | null
}

/**
 * Returns whether a hold covers the message. A hold on a person covers what they sent and their direct messages. A hold
 * on a channel covers messages that were moved out of it while the hold lasted, too.
 */
function isCovered(holds: readonly LegalHold[], message: CoveredMessage): boolean {
  const { senderId, channelId, participantsKey, editHistory } = message
  const people = participantsKey === null ? [senderId] : [senderId, ...participantsKey.split(',').map(Number)]
  // History entries have whole seconds.
  const wasMovedOut = (hold: LegalHold) =>
    parseHistory(editHistory).some(
      ({ prev_stream, timestamp }) => prev_stream === hold.channelId && timestamp >= Math.floor(hold.startedAt),
    )
  return holds.some(
    (hold) =>
      coversAll(hold) ||
      (hold.channelId !== null && (hold.channelId === channelId || wasMovedOut(hold))) ||
      (hold.userId !== null && people.includes(hold.userId)),
  )
}

/** Copies those of the messages that a hold covers, before they are deleted. */
export async function keepHeldMessages(tx: Transaction, realmId: number, ids: readonly number[]): Promise<void> {
  const holds = await findLegalHolds(tx.db, realmId)
  if (holds.length === 0) return
  const rows = await tx.db
    .selectFrom('messages')
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select(['messages.id as messageId', 'messages.realmId', 'senderId', 'channelId', 'participantsKey', 'topic'])
    .select(['content', 'editHistory', 'sentAt'])
    .where('messages.id', 'in', ids)
    .execute()
  const held = rows.filter((row) => isCovered(holds, row))
  for (const batch of batches(held, 50))
    await tx
      .insertInto('heldMessages')
      .values(batch.map((row) => ({ ...row, deletedAt: tx.now })))
      .onConflict((on) => on.column('messageId').doNothing())
      .execute()
}

type KeptFile = {
  place: string
  realmId: number
  ownerId: number
  fileName: string
  name: string
  size: number
  createdAt: number
}

/**
 * Records those of the files that a hold covers, before they are deleted or an edited message no longer links to them.
 * Returns their places: the caller keeps the bytes.
 */
export async function keepHeldFiles(
  tx: Transaction,
  realmId: number,
  files: readonly KeptFile[],
): Promise<ReadonlySet<string>> {
  const holds = await findLegalHolds(tx.db, realmId)
  const kept = new Set<string>()
  if (holds.length === 0) return kept
  const places = files.map(({ place }) => place)
  const recorded = await tx.db.selectFrom('heldFiles').select('place').where('place', 'in', places).execute()
  for (const { place } of recorded) kept.add(place)
  for (const { place, ownerId, fileName, name, size, createdAt } of files) {
    if (kept.has(place)) continue
    const isOfHeldPerson = holds.some((hold) => coversAll(hold) || hold.userId === ownerId)
    if (!isOfHeldPerson && !(await isInCoveredMessage(tx.db, holds, realmId, place))) continue
    kept.add(place)
    await tx
      .insertInto('heldFiles')
      .values({ place, realmId, ownerId, fileName, name, size, createdAt, deletedAt: tx.now })
      .onConflict((on) => on.column('place').doNothing())
      .execute()
  }
  return kept
}

/** Returns whether a covered message links to the file, or a deleted one did in any version. */
async function isInCoveredMessage(
  db: Db,
  holds: readonly LegalHold[],
  realmId: number,
  place: string,
): Promise<boolean> {
  const claims = await db
    .selectFrom('attachmentClaims')
    .innerJoin('attachments', 'attachments.id', 'attachmentId')
    .innerJoin('messages', 'messages.id', 'messageId')
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select(['senderId', 'channelId', 'participantsKey', 'editHistory'])
    .where('place', '=', place)
    .execute()
  if (claims.some((claim) => isCovered(holds, claim))) return true
  const copy = await db
    .selectFrom('heldMessages')
    .select('messageId')
    .where('realmId', '=', realmId)
    .where((where) => where.or([where('content', 'like', `%${place}%`), where('editHistory', 'like', `%${place}%`)]))
    .limit(1)
    .executeTakeFirst()
  return copy !== undefined
}

/** Returns whether an earlier version of a covered message links to the file. Reads the messages that were edited. */
async function wasInCoveredMessage(
  db: Db,
  holds: readonly LegalHold[],
  realmId: number,
  place: string,
): Promise<boolean> {
  if (holds.length === 0) return false
  const edited = await db
    .selectFrom('messages')
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select(['senderId', 'channelId', 'participantsKey', 'editHistory'])
    .where('messages.realmId', '=', realmId)
    .where('editHistory', 'like', `%${place}%`)
    .execute()
  return edited.some((message) => isCovered(holds, message))
}

/** True for a file that a hold keeps although no message links to it anymore. For queries on `attachments`. */
export const isFileHeld = sql<boolean>`(exists (select 1 from "legalHolds" where "legalHolds"."realmId" = "attachments"."realmId"
  and ("legalHolds"."userId" = "attachments"."ownerId" or ("legalHolds"."userId" is null and "legalHolds"."channelId" is null)))
  or exists (select 1 from "heldFiles" where "heldFiles"."place" = "attachments"."place")
  or exists (select 1 from "heldMessages" where "heldMessages"."realmId" = "attachments"."realmId"
  and "heldMessages"."content" like '%' || "attachments"."place" || '%'))`

/** Starts a hold on a user, a channel or, if neither is given, the organization. Returns its id. */
export async function startLegalHold(tx: Transaction, hold: Omit<LegalHold, 'id' | 'startedAt'>): Promise<number> {
  const { id } = await tx
    .insertInto('legalHolds')
    .values({ ...hold, startedAt: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Ends the hold, and deletes the copies that no other hold covers. The daily cleanup of files deletes their bytes.
 * Returns false if there is no such hold.
 */
export async function endLegalHold(tx: Transaction, realmId: number, id: number): Promise<boolean> {
  const ended = await tx
    .deleteFrom('legalHolds')
    .where('realmId', '=', realmId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return false
  const holds = await tx.db.selectFrom('legalHolds').selectAll().where('realmId', '=', realmId).execute()
  const copies = await tx.db
    .selectFrom('heldMessages')
    .select(['messageId', 'senderId', 'channelId', 'participantsKey', 'editHistory'])
    .where('realmId', '=', realmId)
    .execute()
  const uncovered = copies.filter((copy) => !isCovered(holds, copy)).map(({ messageId }) => messageId)
  for (const batch of batches(uncovered)) await tx.deleteFrom('heldMessages').where('messageId', 'in', batch).execute()
  const files = await tx.db
    .selectFrom('heldFiles')
    .select(['place', 'ownerId'])
    .where('realmId', '=', realmId)
    .execute()
  for (const { place, ownerId } of files) {
    const isOfHeldPerson = holds.some((hold) => coversAll(hold) || hold.userId === ownerId)
    if (isOfHeldPerson || (await isInCoveredMessage(tx.db, holds, realmId, place))) continue
    if (await wasInCoveredMessage(tx.db, holds, realmId, place)) continue
    await tx.deleteFrom('heldFiles').where('place', '=', place).execute()
  }
  return true
}

/** Returns the copies of deleted messages and files of the organization, for exports of everything. */
export async function findHeldCopies(db: Db, realmId: number) {
  return {
    messages: await db
      .selectFrom('heldMessages')
      .selectAll()
      .where('realmId', '=', realmId)
      .orderBy('messageId')
      .execute(),
    files: await db.selectFrom('heldFiles').selectAll().where('realmId', '=', realmId).orderBy('place').execute(),
  }
}
