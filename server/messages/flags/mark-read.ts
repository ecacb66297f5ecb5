import { sql } from 'kysely'
import { batches } from '#storage/batches.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { allReadEvent, flagsEvent } from '../events.ts'
import { Flag } from './flag.ts'
import { advanceReadMark, channelContainer, type MessageContainer, saveReadMark } from './read-marks.ts'
import { findContainers, findUnreadIds, findUnreadIdsBySender } from './unread.ts'

/** Marks the user's unread messages of the topic as read and emits an event to the user. */
export async function markTopicRead(
  tx: Transaction,
  realmId: number,
  userId: number,
  { channelId, topicKey }: { channelId: number; topicKey: string },
): Promise<void> {
  const messageIds = await findUnreadIds(tx.db, userId, channelContainer(channelId), topicKey)
  if (messageIds.length === 0) return
  await addFlag(tx, userId, messageIds, Flag.read)
  await advanceReadMark(tx, userId, channelContainer(channelId))
  emitRead(tx, realmId, userId, messageIds)
}

/** Marks all unread messages of the user as read and emits an event to the user. */
export async function markAllRead(tx: Transaction, realmId: number, userId: number): Promise<void> {
  for (const container of await findContainers(tx.db, userId)) await markContainerRead(tx, userId, container)
  tx.emit(realmId, allReadEvent(), [userId])
}

/** Marks the user's unread messages from one sender as read and emits an event to the user. */
export async function markSenderRead(
  tx: Transaction,
  user: { id: number; realmId: number },
  senderId: number,
): Promise<void> {
  const messageIds: number[] = []
  for (const container of await findContainers(tx.db, user.id)) {
    const unread = await findUnreadIdsBySender(tx.db, user.id, container, senderId)
    if (unread.length === 0) continue
    await addFlag(tx, user.id, unread, Flag.read)
    await advanceReadMark(tx, user.id, container)
    messageIds.push(...unread)
  }
  messageIds.sort((a, b) => a - b)
  emitRead(tx, user.realmId, user.id, messageIds)
}

/** Marks the user's unread messages of the container as read. Returns their ids in ascending order. */
async function markContainerRead(tx: Transaction, userId: number, container: MessageContainer): Promise<number[]> {
  const messageIds = await findUnreadIds(tx.db, userId, container)
  const last = messageIds.at(-1)
  if (last === undefined) return []
  await addFlag(tx, userId, messageIds, Flag.read)
  await saveReadMark(tx, userId, container, last + 1)
  return messageIds
}

function emitRead(tx: Transaction, realmId: number, userId: number, messageIds: readonly number[]): void {
  if (messageIds.length > 0) tx.emit(realmId, flagsEvent('add', 'read', messageIds), [userId])
}

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

/** Adds the flag to the user's records of these messages. Creates no missing records. */
export async function addFlag(
  tx: Transaction,
  userId: number,
  messageIds: readonly number[],
  flag: number,
): Promise<void> {
  for (const batch of batches(messageIds)) {
    await tx
      .updateTable('userMessages')
      .set({ flags: sql<number>`"flags" | ${flag}` })
      .where('userId', '=', userId)
      .where('messageId', 'in', batch)
      .execute()
  }
}
