import { sql } from 'kysely'
import { integerAt, realAt, rowsIn } from '../storage/json-list.ts'
import { defineUnawaitedWrite } from '../storage/prepared-query.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import type { PushNotice } from './push-notice.ts'

const saveNoticeRows = defineUnawaitedWrite('pushNotices', (tx, people: string, messageId: number, now: number) =>
  tx
    .insertInto('pushNotices')
    .columns(['sessionId', 'messageId', 'attempts', 'dueAt'])
    .expression(
      rowsIn(tx.db, people)
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

/** Has each browser of these people tell of the message, from `dueAt` on; what is noted already stays as it is. */
export function savePushNotices(
  tx: Transaction,
  messageId: number,
  people: readonly { userId: number; dueAt: number }[],
): void {
  if (people.length === 0) return
  saveNoticeRows(tx, JSON.stringify(people.map(({ userId, dueAt }) => [userId, dueAt])), messageId, tx.now)
}

/** Of each browser the first of its notices, whose turn it is whether it is due or not; in the order of the messages. */
export async function findFirstPushNotices(db: Db): Promise<PushNotice[]> {
  const first = db
    .selectFrom('pushNotices')
    .select((is) => ['sessionId', is.fn.min('messageId').as('messageId')])
    .groupBy('sessionId')
    .as('first')
  return db
    .selectFrom('pushNotices')
    .innerJoin(first, (join) =>
      join
        .onRef('first.sessionId', '=', 'pushNotices.sessionId')
        .on('first.messageId', '=', sql.ref('pushNotices.messageId')),
    )
    .selectAll('pushNotices')
    .orderBy('pushNotices.messageId')
    .execute()
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

export async function endPushNotice(tx: Transaction, { sessionId, messageId }: PushNotice): Promise<void> {
  await tx.deleteFrom('pushNotices').where('sessionId', '=', sessionId).where('messageId', '=', messageId).execute()
}

/** Ends all that wait for a browser. */
export async function endPushNotices(tx: Transaction, sessionId: number): Promise<void> {
  await tx.deleteFrom('pushNotices').where('sessionId', '=', sessionId).execute()
}
