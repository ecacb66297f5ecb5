import { sql } from 'kysely'
import { batches } from '#storage/batches.ts'
import { integerAt, jsonList, rowsIn } from '#storage/json-list.ts'
import { lateralJoin } from '#storage/lateral-join.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { flagsEvent } from '../events.ts'
import { Flag } from './flag.ts'

export type ChannelSubscriber = { userId: number; channelId: number }

type Unread = ChannelSubscriber & { messageId: number }

/** The maximum number of rows that one statement reads or writes. */
const BATCH_SIZE = 20_000

/**
 * Marks all unread messages of these users in these channels as read and emits the events. The number of statements does
 * not grow with the number of users or channels.
 */
export async function markChannelsRead(
  tx: Transaction,
  realmId: number,
  memberships: readonly ChannelSubscriber[],
): Promise<void> {
  let unread: Unread[] = []
  for (const batch of batches(memberships, BATCH_SIZE)) unread = unread.concat(await findUnreadIn(tx.db, batch))
  for (const batch of batches(unread, BATCH_SIZE)) await saveRead(tx, batch)
  for (const batch of batches(readMarksAfter(unread), BATCH_SIZE)) await saveReadMarks(tx, batch)
  emitRead(tx, realmId, unread)
}

const findUnreadIn = (db: Db, memberships: readonly ChannelSubscriber[]): Promise<Unread[]> =>
  unreadIn(db, JSON.stringify(memberships.map(({ userId, channelId }) => [userId, channelId])))

const unreadIn = defineQuery((db, memberships: string) => {
  const [userId, channelId] = [integerAt(0), integerAt(1)]
  const messages = lateralJoin<{ id: number }>(
    db,
    'messages',
    ['id'],
    sql`"messages"."channelId" = ${channelId} and "messages"."id" >= coalesce((select "messageId" from "readMarks"
      where "readMarks"."channelId" = ${channelId} and "readMarks"."conversationId" = 0
        and "readMarks"."userId" = ${userId}), 0)`,
  )
  const records = lateralJoin<{ flags: number }>(
    db,
    'userMessages',
    ['flags'],
    sql`"userMessages"."messageId" = "messages"."id" and "userMessages"."userId" = ${userId}`,
  )
  return rowsIn(db, memberships)
    .innerJoin(messages.source.as<'messages'>('messages'), (join) => join.on(messages.on))
    .innerJoin(records.source.as<'userMessages'>('userMessages'), (join) => join.on(records.on))
    .select([userId.as('userId'), channelId.as('channelId'), 'messages.id as messageId'])
    .where(sql<boolean>`("userMessages"."flags" & ${sql.lit(Flag.read)}) = 0`)
    .orderBy('messages.id')
})

async function saveRead(tx: Transaction, unread: readonly Unread[]): Promise<void> {
  const list = jsonList(
    tx.db,
    unread.map(({ messageId, userId }) => [messageId, userId]),
  )
  await tx
    .updateTable('userMessages')
    .set({ flags: sql<number>`"flags" | ${Flag.read}` })
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('messageId', 'userId'),
        'in',
        list.select([integerAt(0).as('messageId'), integerAt(1).as('userId')]).$asTuple('messageId', 'userId'),
      ),
    )
    .execute()
}

type ReadMark = readonly [channelId: number, userId: number, messageId: number]

/** Returns one read mark for each user and channel, directly after the last unread message. */
function readMarksAfter(unread: readonly Unread[]): ReadMark[] {
  const marks = new Map<string, ReadMark>()
  for (const { channelId, userId, messageId } of unread) {
    marks.set(`${channelId} ${userId}`, [channelId, userId, messageId + 1])
  }
  return [...marks.values()]
}

async function saveReadMarks(tx: Transaction, marks: readonly ReadMark[]): Promise<void> {
  await tx
    .insertInto('readMarks')
    .columns(['channelId', 'conversationId', 'userId', 'messageId'])
    .expression(
      jsonList(tx.db, marks)
        .select([
          integerAt(0).as('channelId'),
          sql<number>`cast(0 as bigint)`.as('conversationId'),
          integerAt(1).as('userId'),
          integerAt(2).as('messageId'),
        ])
        // Without a WHERE clause, SQLite would parse ON CONFLICT as a join condition.
        .where(sql<boolean>`true`),
    )
    .onConflict((on) =>
      on
        .columns(['channelId', 'conversationId', 'userId'])
        .doUpdateSet((row) => ({ messageId: row.ref('excluded.messageId') })),
    )
    .execute()
}

/** Emits one event for each group of users who had the same unread messages. */
function emitRead(tx: Transaction, realmId: number, unread: readonly Unread[]): void {
  const groups = new Map<string, { userIds: number[]; messageIds: number[] }>()
  for (const [userId, own] of Map.groupBy(unread, ({ userId }) => userId)) {
    const messageIds = own.map(({ messageId }) => messageId).sort((a, b) => a - b)
    const group = groups.get(messageIds.join())
    if (group === undefined) groups.set(messageIds.join(), { userIds: [userId], messageIds })
    else group.userIds.push(userId)
  }
  for (const { userIds, messageIds } of groups.values()) {
    tx.emit(realmId, flagsEvent('add', 'read', messageIds), userIds)
  }
}
