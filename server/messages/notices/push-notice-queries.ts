import { sql } from 'kysely'
import { integerAt, realAt, rowsIn } from '#storage/json-list.ts'
import { defineUnawaitedWrite } from '#storage/prepared-query.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { PushNotice } from './push-notice.ts'

const saveNoticeRows = defineUnawaitedWrite('pushNotices', (tx, users: string, messageId: number, now: number) =>
  tx
    .insertInto('pushNotices')
    .columns(['sessionId', 'messageId', 'attempts', 'dueAt'])
    .expression(
      rowsIn(tx.db, users)
        .innerJoin('pushSubscriptions', (join) => join.on('pushSubscriptions.userId', '=', integerAt(0)))
        .innerJoin('sessions', 'sessions.id', 'pushSubscriptions.sessionId')
        .select([
          'pushSubscriptions.sessionId',
          sql<number>`cast(${messageId} as bigint)`.as('messageId'),
          sql<number>`cast(0 as bigint)`.as('attempts'),
          realAt(1).as('dueAt'),
        ])
        .where('sessions.expiresAt', '>', now),
    )
    .onConflict((on) => on.doNothing()),
)

/**
 * Adds a notification of the message, due at `dueAt`, for each browser of these users. Existing notifications stay
 * unchanged.
 */
export function savePushNotices(
  tx: Transaction,
  messageId: number,
  users: readonly { userId: number; dueAt: number }[],
): void {
  if (users.length === 0) return
  saveNoticeRows(tx, JSON.stringify(users.map(({ userId, dueAt }) => [userId, dueAt])), messageId, tx.now)
}

/**
 * Returns the due notifications of up to `most` browsers, one for each. The later notifications of a browser wait for
 * its first one. `nextAt` is the next time at which any notification becomes due.
 */
export async function findDuePushNotices(
  db: Db,
  now: number,
  most: number,
): Promise<{ due: PushNotice[]; nextAt: number | null }> {
  const due = await db
    .selectFrom('pushNotices as notice')
    .selectAll()
    .where('dueAt', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('pushNotices as earlier')
            .select('earlier.messageId')
            .whereRef('earlier.sessionId', '=', 'notice.sessionId')
            .whereRef('earlier.messageId', '<', 'notice.messageId'),
        ),
      ),
    )
    .orderBy('dueAt')
    .orderBy('messageId')
    .limit(most)
    .execute()
  const next = await db
    .selectFrom('pushNotices')
    .select('dueAt')
    .where('dueAt', '>', now)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
  return { due, nextAt: next?.dueAt ?? null }
}

/** Returns false if the notification was sent, dropped or tried again since it was read. */
export async function isPushNoticePending(db: Db, { sessionId, messageId, attempts }: PushNotice): Promise<boolean> {
  const row = await db
    .selectFrom('pushNotices')
    .select('messageId')
    .where('sessionId', '=', sessionId)
    .where('messageId', '=', messageId)
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return row !== undefined
}

export async function deferPushNotice(
  tx: Transaction,
  { sessionId, messageId }: PushNotice,
  dueAt: number,
): Promise<void> {
  await tx
    .updateTable('pushNotices')
    .set((is) => ({ attempts: is('attempts', '+', 1), dueAt }))
    .where('sessionId', '=', sessionId)
    .where('messageId', '=', messageId)
    .execute()
}

export async function deletePushNotice(tx: Transaction, { sessionId, messageId }: PushNotice): Promise<void> {
  await tx.deleteFrom('pushNotices').where('sessionId', '=', sessionId).where('messageId', '=', messageId).execute()
}

/** Deletes all notifications that wait for a browser. */
export async function deletePushNotices(tx: Transaction, sessionId: number): Promise<void> {
  await tx.deleteFrom('pushNotices').where('sessionId', '=', sessionId).execute()
}
