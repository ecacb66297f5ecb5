import { sql } from 'kysely'
import { z } from 'zod'
import { invalidChannelId, requireChannel } from '#channels/access.ts'
import { normalizeTopic, topicKey } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { batches, defineQuery, integerAt, jsonList, lateralJoin, rowsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { allReadEvent, flagsEvent } from './events.ts'
import { Flag } from './flags.ts'
import {
  advanceReadMark,
  channelContainer,
  findContainers,
  findUnreadIds,
  findUnreadIdsBySender,
  type MessageContainer,
  saveReadMark,
} from './unread.ts'

// Marking messages as read: all of a user, of a channel, of a topic or of a sender. The number of statements does not
// depend on the number of messages or users. Read marks advance with them, so that later searches for unread messages
// stay short.

/** Marks the user's unread messages of the topic as read and emits an event to the user. */
async function markTopicRead(
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
async function markAllRead(tx: Transaction, realmId: number, userId: number): Promise<void> {
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

async function hasReceivedTopic(
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

type ChannelSubscriber = { userId: number; channelId: number }

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
  emitChannelsRead(tx, realmId, unread)
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
function emitChannelsRead(tx: Transaction, realmId: number, unread: readonly Unread[]): void {
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

const noSuchTopic = refusal('BAD_REQUEST', 400, "No such topic '{topic}'", { field: 'topic_name' })

export const postMarkAllAsRead = endpoint({
  route: 'POST /mark_all_as_read',
  summary: 'Mark all messages as read',
  who: 'user',
  returns: { complete: z.boolean() },
  async handle({ transaction, actor }) {
    await transaction((tx) => markAllRead(tx, actor.realmId, actor.id))
    return { complete: true }
  },
})

export const postMarkStreamAsRead = endpoint({
  route: 'POST /mark_stream_as_read',
  summary: 'Mark all messages of a channel as read',
  who: 'user',
  params: { stream_id: z.int() },
  refuses: [invalidChannelId],
  async handle({ db, transaction, actor, clock }, params) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), params.stream_id)
    await transaction((tx) => markChannelsRead(tx, actor.realmId, [{ userId: actor.id, channelId: channel.id }]))
    return {}
  },
})

export const postMarkTopicAsRead = endpoint({
  route: 'POST /mark_topic_as_read',
  summary: 'Mark all messages of a topic as read',
  who: 'user',
  params: { stream_id: z.int(), topic_name: z.string() },
  refuses: [invalidChannelId, noSuchTopic],
  async handle({ db, transaction, actor, clock }, params) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), params.stream_id)
    const channelTopic = { channelId: channel.id, topicKey: topicKey(normalizeTopic(params.topic_name)) }
    if (!(await hasReceivedTopic(db, actor.id, channelTopic))) throw noSuchTopic({ topic: params.topic_name })
    await transaction((tx) => markTopicRead(tx, actor.realmId, actor.id, channelTopic))
    return {}
  },
})
