import { sql } from 'kysely'
import { batches } from '../../platform/storage/batches.ts'
import { integerAt, jsonList, rowsIn } from '../../platform/storage/json-list.ts'
import { lateralJoin } from '../../platform/storage/lateral-join.ts'
import { defineQuery } from '../../platform/storage/prepared-query.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { flagsEvent } from '../events.ts'
import { Flag } from './flag.ts'

/** Somebody in a channel. */
export type ChannelMembership = { userId: number; channelId: number }

type Unread = ChannelMembership & { messageId: number }

/** How many rows one statement reads or writes. */
const BATCH_SIZE = 20_000

/**
 * Marks all that people of the organization have not read in channels as read, and tells each of them: in a few
 * statements, however many people and channels there are.
 */
export async function markChannelsRead(
  tx: Transaction,
  realmId: number,
  seats: readonly ChannelMembership[],
): Promise<void> {
  let unread: Unread[] = []
  for (const batch of batches(seats, BATCH_SIZE)) unread = unread.concat(await findUnreadIn(tx.db, batch))
  for (const batch of batches(unread, BATCH_SIZE)) await saveRead(tx, batch)
  for (const batch of batches(readMarksAfter(unread), BATCH_SIZE)) await saveReadMarks(tx, batch)
  emitRead(tx, realmId, unread)
}

const findUnreadIn = (db: Db, seats: readonly ChannelMembership[]): Promise<Unread[]> =>
  unreadIn(db, JSON.stringify(seats.map((seat) => [seat.userId, seat.channelId])))

const unreadIn = defineQuery((db, seats: string) => {
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
  return rowsIn(db, seats)
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

/** The marks behind what was unread, each once. */
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
        // SQLite would read the ON of the conflict as that of a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((on) =>
      on
        .columns(['channelId', 'conversationId', 'userId'])
        .doUpdateSet((row) => ({ messageId: row.ref('excluded.messageId') })),
    )
    .execute()
}

/** One event for all who had the same messages unread. */
function emitRead(tx: Transaction, realmId: number, unread: readonly Unread[]): void {
  const hearers = new Map<string, { userIds: number[]; messageIds: number[] }>()
  for (const [userId, own] of Map.groupBy(unread, (one) => one.userId)) {
    const messageIds = own.map(({ messageId }) => messageId).sort((one, other) => one - other)
    const alike = hearers.get(messageIds.join())
    if (alike === undefined) hearers.set(messageIds.join(), { userIds: [userId], messageIds })
    else alike.userIds.push(userId)
  }
  for (const { userIds, messageIds } of hearers.values()) {
    tx.emit(realmId, flagsEvent('add', 'read', messageIds), userIds)
  }
}
