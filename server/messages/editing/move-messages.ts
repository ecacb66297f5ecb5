import { sql } from 'kysely'
import { findActiveUsers, findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { topicKey } from '#channels/topic.ts'
import { movePolicies } from '#channels/user-topics.ts'
import { findMembershipScope } from '#groups/viewer.ts'
import { topicLinks } from '#markdown/linkifier.ts'
import type { Actor } from '#people/users.ts'
import { findLinkifiers } from '#realms/linkifiers.ts'
import { hasContentAccess } from '#rules/permissions.ts'
import { batches } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { deletionEvent, findMessageAudience, findMessageAudienceIds, flagsEvent } from '../events.ts'
import { Flag, HISTORICAL_FLAGS, MOVED_TO_UNSUBSCRIBED } from '../flags.ts'
import { addFlag } from '../mark-read.ts'
import type { EditEntry, Message } from '../message.ts'
import { followOnMove, hasMessagesFor, toTopicRef } from '../sending/follow-topics.ts'
import { lowerReadMarks } from '../unread.ts'
import { changesChannel, lockMovedMessages, type Move } from './edit-access.ts'
import { saveHistoryEntry, saveMovedTopic } from './edit-rows.ts'
import { sendMoveNotices } from './send-move-notices.ts'
import { emitChannelMove, emitMessageUpdate, moveFields, type UpdateEvent } from './update-event.ts'

/** The active users who may read a channel, and the subscribers among them. */
type Readers = { all: ReadonlySet<number>; subscribed: ReadonlySet<number> }

/**
 * Updates all users' records of the messages after a move to this channel. Users who may not read the channel lose
 * their records. For users who are not subscribed, the messages are marked as read. In a channel with protected
 * history, subscribers receive the messages.
 */
async function moveRecords(
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

type Arrival = {
  /** True if the new topic already had messages that the actor may read. */
  isMerge: boolean
  /** The users who may read the new channel; null if the channel stays the same. */
  readerIds: ReadonlySet<number> | null
}

/**
 * Moves users' visibility policies to the new topic if the actor can no longer read any message in the old one.
 * Otherwise the policies stay, and only the sender of the moved message may follow the new topic (`followOnMove`).
 */
async function moveTopicPolicies(
  tx: Transaction,
  actor: Actor,
  message: Message,
  move: Move,
  arrival: Arrival,
): Promise<void> {
  const { from, to, mode } = move
  if (!changesChannel(move) && topicKey(from.topic) === topicKey(to.topic)) return
  const isWhole = mode === 'change_all' || !(await hasMessagesFor(tx.db, actor.id, from))
  if (!isWhole) return followOnMove(tx, message, to, arrival.readerIds)
  const topics = { from: toTopicRef(from), to: toTopicRef(to) }
  await movePolicies(tx, actor.realmId, { ...topics, ...arrival })
}

type Moving = {
  actor: Actor
  /** The edited message before the edit. */
  message: Message
  move: Move
  /** The history entry of the edited message, without the move. */
  entry: EditEntry
  /** The history entry of the other messages that move, without the move. */
  author: EditEntry
  event: UpdateEvent
}

/**
 * Moves the message and the messages that move with it, emits events to the audiences of both conversations, and sends
 * the requested notices.
 */
export async function moveMessages(
  tx: Transaction,
  { actor, message, move, entry, author, event }: Moving,
): Promise<void> {
  const { from, to } = move
  const ids = await lockMovedMessages(tx, actor, message, move)
  const isOtherChannel = changesChannel(move)
  const oldAudience = new Set(isOtherChannel ? await findMessageAudienceIds(tx, ids, from) : [])
  const isMerge = await hasMessagesFor(tx.db, actor.id, to)

  await saveMovedTopic(tx, ids, move)
  await saveHistoryEntry(tx, [message.id], { ...entry, ...moveEntry(move) })
  const others = ids.filter((id) => id !== message.id)
  if (others.length > 0) await saveHistoryEntry(tx, others, { ...author, ...moveEntry(move) })
  const readers = isOtherChannel ? await findReaders(tx.db, actor, move, tx.now) : null
  if (readers !== null) await moveRecords(tx, actor.realmId, ids, to.channel, readers)
  await moveTopicPolicies(tx, actor, message, move, { isMerge, readerIds: readers?.all ?? null })

  const { compiled } = await findLinkifiers(tx.db, actor.realmId)
  const newAudience = await findMessageAudience(tx, message.id, to)
  const newIds = new Set([...newAudience.values()].flat())
  const { readerIds = [], lostIds = [] } = Object.groupBy(oldAudience.difference(newIds), (id) =>
    readers?.all.has(id) ? 'readerIds' : 'lostIds',
  )
  const audience = new Map(newAudience).set(null, [...(newAudience.get(null) ?? []), ...readerIds])
  Object.assign(event, moveFields(move, ids, topicLinks(to.topic, compiled)))
  if (isOtherChannel) emitChannelMove(tx, actor.realmId, event, audience, oldAudience)
  else emitMessageUpdate(tx, actor.realmId, event, audience)
  const channelTopic = { channelId: from.channel.id, topic: from.topic }
  tx.emit(actor.realmId, deletionEvent(ids, channelTopic), lostIds)
  await sendMoveNotices(tx, actor, move, { messageId: message.id, messageIds: ids, isMerge })
}

async function findReaders(db: Db, actor: Actor, { to }: Move, now: number): Promise<Readers> {
  const scope = await findMembershipScope(db, actor, now)
  const subscribed = new Set(await findChannelSubscriberIds(db, to.channel.id))
  const { all } = await findActiveUsers(db, actor.realmId)
  const readers = all.filter((person) => hasContentAccess(scope, person, to.channel, subscribed.has(person.id)))
  return { all: new Set(readers.map((person) => person.id)), subscribed }
}

function moveEntry(move: Move): Partial<EditEntry> {
  const { from, to } = move
  return {
    ...(from.topic !== to.topic && { prev_topic: from.topic, topic: to.topic }),
    ...(changesChannel(move) && { prev_stream: from.channel.id, stream: to.channel.id }),
  }
}
