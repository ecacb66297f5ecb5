import { sql } from 'kysely'
import type { Channel } from '#channels/channel.ts'
import { batches } from '#storage/batches.ts'
import type { Transaction } from '#storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { flagsEvent } from '../events.ts'
import { Flag, MOVED_TO_UNSUBSCRIBED } from '../flags/flag.ts'
import { addFlag } from '../flags/mark-read.ts'
import { lowerReadMarks } from '../flags/read-marks.ts'
import { HISTORICAL_FLAGS } from '../flags/save-historical-records.ts'

/** The active users who may read a channel, and the subscribers among them. */
export type Readers = { all: ReadonlySet<number>; subscribed: ReadonlySet<number> }

/**
 * Updates all users' records of the messages after a move to this channel. Users who may not read the channel lose
 * their records. For users who are not subscribed, the messages are marked as read. In a channel with protected
 * history, subscribers receive the messages.
 */
export async function moveRecords(
  tx: Transaction,
  realmId: number,
  messageIds: readonly number[],
  channel: Channel,
  readers: Readers,
): Promise<void> {
  await lowerReadMarks(tx, channel.id, messageIds[0] ?? 0)
  for (const batch of batches(messageIds)) {
    const records = await tx.db.selectFrom('userMessages').selectAll().where('messageId', 'in', batch).execute()
    for (const [userId, own] of Map.groupBy(records, (record) => record.userId)) {
      if (!readers.all.has(userId)) await deleteRecords(tx, userId, batch)
      else if (!readers.subscribed.has(userId)) await markRecordsRead(tx, realmId, userId, own)
    }
    if (hasProtectedHistory(channel)) await saveMissingRecords(tx, batch, channel)
  }
}

async function deleteRecords(tx: Transaction, userId: number, messageIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('userMessages').where('userId', '=', userId).where('messageId', 'in', messageIds).execute()
}

async function markRecordsRead(
  tx: Transaction,
  realmId: number,
  userId: number,
  records: readonly { messageId: number; flags: number }[],
): Promise<void> {
  const messageIds = records.map(({ messageId }) => messageId)
  await addFlag(tx, userId, messageIds, Flag.read | MOVED_TO_UNSUBSCRIBED)
  const unread = records.filter(({ flags }) => (flags & Flag.read) === 0).map(({ messageId }) => messageId)
  if (unread.length === 0) return
  tx.emit(realmId, flagsEvent('add', 'read', unread), [userId])
}

async function saveMissingRecords(tx: Transaction, messageIds: readonly number[], channel: Channel): Promise<void> {
  await tx
    .insertInto('userMessages')
    .columns(['userId', 'messageId', 'flags'])
    .expression(
      tx.db
        .selectFrom('subscriptions')
        .innerJoin('messages', (join) => join.onTrue())
        .select([
          'subscriptions.userId',
          'messages.id as messageId',
          sql<number>`cast(${HISTORICAL_FLAGS} as bigint)`.as('flags'),
        ])
        .where('subscriptions.channelId', '=', channel.id)
        .where('subscriptions.unsubscribedAt', 'is', null)
        .where('messages.id', 'in', messageIds),
    )
    .onConflict((on) => on.doNothing())
    .execute()
}
