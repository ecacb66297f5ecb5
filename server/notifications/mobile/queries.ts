import { sql } from 'kysely'
import { Flag } from '#messages/flags.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Device } from './service.ts'

/** A notification to send, or the request to look for notifications of a user that can be removed. */
export type MobilePush = { userId: number; messageId: number | null; attempts: number; dueAt: number }

/** Seconds for which sent notifications are kept, to remove them when their messages are read. */
const KEPT_FOR = 86_400

/** Seconds between two looks for messages that were read on another device. */
const REMOVAL_INTERVAL = 20

/** Returns the oldest due notification of up to `most` users, and the users of whose sent ones some can be removed. */
export async function findDueMobilePushes(
  db: Db,
  now: number,
  most: number,
): Promise<{ due: MobilePush[]; nextAt: number | null }> {
  const pending = await db
    .selectFrom('mobilePushes')
    .select(({ fn }) => ['userId', fn.min('messageId').as('messageId')])
    .where('sentAt', 'is', null)
    .where('dueAt', '<=', now)
    .groupBy('userId')
    .limit(most)
    .execute()
  const due: MobilePush[] = []
  for (const { userId, messageId } of pending) {
    const row = await findMobilePush(db, userId, messageId)
    if (row !== null) due.push(row)
  }
  const busy = new Set(due.map(({ userId }) => userId))
  const readers = (await findReaders(db, now, most)).filter((userId) => !busy.has(userId))
  due.push(...readers.map((userId) => ({ userId, messageId: null, attempts: 0, dueAt: now })))
  const next = await db
    .selectFrom('mobilePushes')
    .select(({ fn }) => [fn.min('dueAt').as('dueAt')])
    .where('sentAt', 'is', null)
    .where('dueAt', '>', now)
    .executeTakeFirst()
  const sent = await db.selectFrom('mobilePushes').select('userId').where('sentAt', 'is not', null).limit(1).execute()
  const times = [next?.dueAt ?? null, sent.length > 0 ? now + REMOVAL_INTERVAL : null].filter((time) => time !== null)
  return { due, nextAt: times.length === 0 ? null : Math.min(...times) }
}

export async function findMobilePush(db: Db, userId: number, messageId: number): Promise<MobilePush | null> {
  const row = await db
    .selectFrom('mobilePushes')
    .select(['userId', 'messageId', 'attempts', 'dueAt'])
    .where('userId', '=', userId)
    .where('messageId', '=', messageId)
    .where('sentAt', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

/** Sent notifications whose message was read, or that the user no longer has. */
const removable = (db: Db) =>
  db
    .selectFrom('mobilePushes')
    .leftJoin('userMessages', (join) =>
      join
        .onRef('userMessages.userId', '=', 'mobilePushes.userId')
        .onRef('userMessages.messageId', '=', 'mobilePushes.messageId'),
    )
    .where('mobilePushes.sentAt', 'is not', null)
    .where(({ or, eb }) =>
      or([eb('userMessages.flags', 'is', null), sql<boolean>`("userMessages"."flags" & ${Flag.read}) != 0`]),
    )

async function findReaders(db: Db, now: number, most: number): Promise<number[]> {
  const rows = await removable(db).select('mobilePushes.userId').distinct().limit(most).execute()
  const old = await db
    .selectFrom('mobilePushes')
    .select('userId')
    .distinct()
    .where('sentAt', '<', now - KEPT_FOR)
    .limit(most)
    .execute()
  return [...new Set([...rows, ...old].map(({ userId }) => userId))]
}

/** Returns the ids of the messages of a user whose notifications can be removed, newest first. */
export async function findRemovableIds(db: Db, userId: number): Promise<number[]> {
  const rows = await removable(db)
    .select('mobilePushes.messageId')
    .where('mobilePushes.userId', '=', userId)
    .orderBy('mobilePushes.messageId', 'desc')
    .execute()
  return rows.map(({ messageId }) => messageId)
}

export async function saveSent(tx: Transaction, { userId, messageId }: MobilePush): Promise<void> {
  await tx
    .updateTable('mobilePushes')
    .set({ sentAt: tx.now })
    .where('userId', '=', userId)
    .where('messageId', '=', messageId)
    .execute()
}

export async function deferMobilePush(
  tx: Transaction,
  { userId, messageId, attempts }: MobilePush,
  dueAt: number,
): Promise<void> {
  await tx
    .updateTable('mobilePushes')
    .set({ attempts: attempts + 1, dueAt })
    .where('userId', '=', userId)
    .where('messageId', '=', messageId)
    .execute()
}

export async function deleteMobilePushes(tx: Transaction, userId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('mobilePushes')
    .where('userId', '=', userId)
    .where('messageId', 'in', ids.slice(0, 5000))
    .execute()
}

/** Deletes sent notifications that are no longer kept. */
export async function deleteOldMobilePushes(tx: Transaction, userId: number): Promise<void> {
  await tx
    .deleteFrom('mobilePushes')
    .where('userId', '=', userId)
    .where('sentAt', '<', tx.now - KEPT_FOR)
    .execute()
}

export async function findDevices(db: Db, userId: number): Promise<Device[]> {
  const rows = await db
    .selectFrom('pushTokens')
    .select(['service', 'token', 'appId'])
    .where('userId', '=', userId)
    .orderBy('addedAt')
    .execute()
  return rows as Device[]
}

export async function deleteDevices(
  tx: Transaction,
  userId: number,
  service: Device['service'],
  tokens: readonly string[],
): Promise<void> {
  if (tokens.length === 0) return
  await tx
    .deleteFrom('pushTokens')
    .where('userId', '=', userId)
    .where('service', '=', service)
    .where('token', 'in', tokens)
    .execute()
}
