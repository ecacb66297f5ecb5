import { sql } from 'kysely'
import type { Db, Transaction } from '../storage/storage.ts'
import { findUsersById } from '../users/queries.ts'
import { batches } from './batches.ts'
import { allReadEvent, flagsEvent } from './events.ts'
import { Flag } from './flag.ts'

/** Written out, since only so both databases recognize the condition of the index of unread messages. */
const isUnread = sql<boolean>`("userMessages"."flags" & 1) = 0`

/** Marks all that these people have not read in these channels as read, and tells each of them. */
export async function markChannelsRead(
  tx: Transaction,
  userIds: readonly number[],
  channelIds: readonly number[],
): Promise<void> {
  if (channelIds.length === 0) return
  const marked: { userId: number; messageId: number }[] = []
  for (const batch of batches(userIds)) {
    const rows = await tx
      .updateTable('userMessages')
      .set({ flags: sql<number>`"flags" | ${Flag.read}` })
      .where('userId', 'in', batch)
      .where(isUnread)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('messages')
            .select('messages.id')
            .whereRef('messages.id', '=', 'userMessages.messageId')
            .where('channelId', 'in', channelIds),
        ),
      )
      .returning(['userId', 'messageId'])
      .execute()
    for (const row of rows) marked.push(row)
  }
  const byUser = Map.groupBy(marked, (row) => row.userId)
  for (const { id, realmId } of await findUsersById(tx.db, byUser.keys())) {
    const messageIds = (byUser.get(id) ?? []).map((row) => row.messageId).sort((one, other) => one - other)
    tx.emit(realmId, flagsEvent('add', 'read', messageIds), [id])
  }
}

/** Marks what the person has not read in the topic as read, and tells them. */
export async function markTopicRead(
  tx: Transaction,
  realmId: number,
  userId: number,
  thread: { channelId: number; topicKey: string },
): Promise<void> {
  await markRead(tx, realmId, userId, await findUnread(tx.db, userId, thread))
}

/** Marks all that the person has not read as read, and tells them. */
export async function markAllRead(tx: Transaction, realmId: number, userId: number): Promise<void> {
  await tx
    .updateTable('userMessages')
    .set({ flags: sql<number>`"flags" | ${Flag.read}` })
    .where('userId', '=', userId)
    .where(isUnread)
    .execute()
  tx.emit(realmId, allReadEvent(), [userId])
}

/** Whether the person has received a message of the topic. */
export async function hasReceivedTopic(
  db: Db,
  userId: number,
  { channelId, topicKey }: { channelId: number; topicKey: string },
): Promise<boolean> {
  const received = await db
    .selectFrom('messages')
    .innerJoin('userMessages', 'userMessages.messageId', 'messages.id')
    .select('messages.id')
    .where('userMessages.userId', '=', userId)
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .limit(1)
    .executeTakeFirst()
  return received !== undefined
}

async function findUnread(
  db: Db,
  userId: number,
  { channelId, topicKey }: { channelId: number; topicKey: string },
): Promise<number[]> {
  const rows = await db
    .selectFrom('userMessages')
    .innerJoin('messages', 'messages.id', 'userMessages.messageId')
    .select('messageId')
    .where('userId', '=', userId)
    .where(isUnread)
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .orderBy('messageId')
    .execute()
  return rows.map((row) => row.messageId)
}

/** All of them unread. */
async function markRead(
  tx: Transaction,
  realmId: number,
  userId: number,
  messageIds: readonly number[],
): Promise<void> {
  if (messageIds.length === 0) return
  for (const batch of batches(messageIds)) await addFlag(tx, userId, batch, Flag.read)
  tx.emit(realmId, flagsEvent('add', 'read', messageIds), [userId])
}

/** Adds the flag to the person's records of these messages; those without a record stay without. */
export async function addFlag(
  tx: Transaction,
  userId: number,
  messageIds: readonly number[],
  flag: number,
): Promise<void> {
  await tx
    .updateTable('userMessages')
    .set({ flags: sql<number>`"flags" | ${flag}` })
    .where('userId', '=', userId)
    .where('messageId', 'in', messageIds)
    .execute()
}
