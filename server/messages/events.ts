import { sql } from 'kysely'
import { findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { isOpenTo } from '#rules/permissions.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { isAscending } from '#storage/event-log.ts'
import { batches, defineQuery, idsIn } from '#storage/sql.ts'
import type { Db, EmittedOfType, Transaction } from '#storage/storage.ts'
import { hasProtectedHistory } from './access.ts'
import type { ConversationRef, MessageFormat, Reaction, SharedMessageJson, Submessage } from './message.ts'
import type { LocalEcho } from './prepare-message.ts'

// The events about messages and the users who receive them. The audience of a change to a message are the users who
// have a record of it and may still read it, and the subscribers of its channel.

/** The channel of a conversation; null for direct messages. */
export type ChannelOrDirect = Pick<ConversationRef, 'channel'>

/**
 * The ids of the users who receive events about an existing message, by their flags on it. The flags are null for users
 * without a record.
 */
export type MessageAudience = ReadonlyMap<number | null, readonly number[]>

/**
 * Returns the users who receive events about a change to a message: users who have a record of it and may still read
 * it, and the subscribers of the channel. Concurrent unsubscribing has either finished, or waits until this transaction
 * ends.
 */
export async function findMessageAudience(
  tx: Transaction,
  messageId: number,
  conversation: ChannelOrDirect,
): Promise<MessageAudience> {
  await lockMessageIds(tx)
  const records = await findRecords(tx.db, messageId)
  const ids = await findAudience(tx.db, records.userIds, conversation)
  let at = 0
  return Map.groupBy(ids, (id) => {
    while (at < records.userIds.length && (records.userIds[at] as number) < id) at += 1
    return records.userIds[at] === id ? (records.flags[at] as number) : null
  })
}

/**
 * Returns the users who receive events about a change to several messages of one conversation: users who have a record
 * of at least one of the messages and may still read it, and the subscribers of the channel.
 */
export async function findMessageAudienceIds(
  tx: Transaction,
  messageIds: readonly number[],
  conversation: ChannelOrDirect,
): Promise<readonly number[]> {
  await lockMessageIds(tx)
  return findAudience(tx.db, await findHolderIds(tx.db, messageIds), conversation)
}

/**
 * Returns the audience of each message, in ascending order of user ids. Use it only for channels with protected
 * history, where subscribers see only the messages that they received.
 */
export async function findAudienceOfEachMessage(
  tx: Transaction,
  messageIds: readonly number[],
  channel: Channel,
): Promise<Map<number, readonly number[]>> {
  await lockMessageIds(tx)
  const subscriberIds = new Set(await findChannelSubscriberIds(tx.db, channel.id))
  const records = await tx.db
    .selectFrom('userMessages')
    .select(['messageId', 'userId'])
    .where('messageId', 'in', messageIds)
    .orderBy('userId')
    .execute()
  const recordsByMessage = Map.groupBy(
    records.filter(({ userId }) => subscriberIds.has(userId)),
    ({ messageId }) => messageId,
  )
  return new Map(Array.from(recordsByMessage, ([messageId, own]) => [messageId, own.map(({ userId }) => userId)]))
}

/**
 * Returns the audience of a change, given the users who have records. All lists are in ascending order of ids. Nearly
 * all of these users are subscribers, so only the others are checked one by one.
 */
async function findAudience(
  db: Db,
  holderIds: readonly number[],
  { channel }: ChannelOrDirect,
): Promise<readonly number[]> {
  if (channel === null) return (await findActiveAmong(db, holderIds)).map(({ id }) => id)
  const subscriberIds = await findChannelSubscriberIds(db, channel.id)
  const otherIds = difference(holderIds, subscriberIds)
  if (hasProtectedHistory(channel)) return difference(holderIds, otherIds)
  const others = await findActiveAmong(db, otherIds)
  const readers = others.filter((user) => isOpenTo(user, channel))
  if (readers.length === 0) return subscriberIds
  return [...subscriberIds, ...readers.map(({ id }) => id)].sort(ascending)
}

const ascending = (one: number, other: number) => one - other

/** Returns the ids that are not excluded. Both lists are ascending, which is several times as fast as with sets. */
function difference(ids: readonly number[], excluded: readonly number[]): number[] {
  let at = 0
  return ids.filter((id) => {
    while (at < excluded.length && (excluded[at] as number) < id) at += 1
    return excluded[at] !== id
  })
}

function readAscending(json: string): number[] {
  const ids = JSON.parse(json) as number[]
  if (!isAscending(ids)) throw new Error('The records of a message were not in order')
  return ids
}

/** Aggregates a column of records in ascending order of user ids. One row is faster to read than one for each user. */
const listOf = ({ dialect }: Db, column: 'userId' | 'flags') =>
  dialect === 'sqlite'
    ? // The records of a message are stored in this order. Sorting them would take as long as reading them.
      sql<string>`json_group_array(${sql.ref(column)})`
    : sql<string>`coalesce(json_agg(${sql.ref(column)} order by "userId")::text, '[]')`

const recordsOfMessage = defineQuery((db, messageId: number) =>
  db
    .selectFrom('userMessages')
    .select([listOf(db, 'userId').as('userIds'), listOf(db, 'flags').as('flags')])
    .where('messageId', '=', messageId),
)

/** Returns the users who have a record of the message, in ascending order, with their flags. */
async function findRecords(db: Db, messageId: number): Promise<{ userIds: number[]; flags: number[] }> {
  const [row] = await recordsOfMessage(db, messageId)
  return { userIds: readAscending(row?.userIds ?? '[]'), flags: JSON.parse(row?.flags ?? '[]') }
}

const holdersOfMessage = defineQuery((db, messageId: number) =>
  db.selectFrom('userMessages').select(listOf(db, 'userId').as('userIds')).where('messageId', '=', messageId),
)

/** Returns the users who have a record of at least one of the messages, in ascending order. */
async function findHolderIds(db: Db, messageIds: readonly number[]): Promise<readonly number[]> {
  if (messageIds.length === 1) {
    const [row] = await holdersOfMessage(db, messageIds[0] as number)
    return readAscending(row?.userIds ?? '[]')
  }
  const ids = new Set<number>()
  for (const batch of batches(messageIds)) {
    const query = db.selectFrom('userMessages').select('userId').distinct().where('messageId', 'in', batch)
    for (const { userId } of await query.execute()) ids.add(userId)
  }
  return [...ids].sort(ascending)
}

/** Returns those of the users who are active, in ascending order of ids. */
async function findActiveAmong(db: Db, ids: readonly number[]): Promise<{ id: number; role: number }[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('users')
    .select(['id', 'role'])
    .where('id', 'in', idsIn(db.dialect, JSON.stringify(ids)))
    .where('deactivatedAt', 'is', null)
    .orderBy('id')
    .execute()
}

/**
 * The format of messages in the event log: Markdown besides the HTML, empty topic names, and all avatar URLs. The
 * server derives the formats of other clients from it.
 */
export const eventFormat: MessageFormat = {
  appliesMarkdown: false,
  allowsEmptyTopic: true,
  computesGravatar: false,
  extraEmojiType: 'service_extra_emoji',
}

type MessageEvent = EmittedOfType<'message'>

export function messageEvent(
  message: SharedMessageJson,
  renderedContent: string,
  flags: string[],
  localEcho: LocalEcho | null,
): MessageEvent {
  const local = localEcho === null ? {} : { local_message_id: localEcho.localId, local_queue_id: localEcho.queueId }
  return { type: 'message', message, flags, rendered_content: renderedContent, ...local }
}

type FlagsEvent = EmittedOfType<'update_message_flags'>

type FlagsDetails = NonNullable<Extract<FlagsEvent, { op: 'remove' }>['message_details']>

/** The conversation of a message that was marked as unread. */
export type MessageDetail = FlagsDetails[string]

/** Returns an event about a change of flags. `details` describes messages that were marked as unread. */
export function flagsEvent(
  op: 'add' | 'remove',
  flag: string,
  messageIds: readonly number[],
  details?: FlagsDetails,
): FlagsEvent {
  const fields = { flag, messages: messageIds, all: false }
  if (op === 'add') return { type: 'update_message_flags', op, operation: op, ...fields }
  const optional = details === undefined ? {} : { message_details: details }
  return { type: 'update_message_flags', op, operation: op, ...fields, ...optional }
}

/** Returns the event for users who have read all messages that they received. */
export function allReadEvent(): FlagsEvent {
  return { ...flagsEvent('add', 'read', []), all: true }
}

type ReactorJson = EmittedOfType<'reaction'>['user']

/**
 * Returns an event about a reaction. `reactor` is the user who reacted. It fills the deprecated field `user`, from
 * which terminal clients still read the name.
 */
export function reactionEvent(
  op: 'add' | 'remove',
  messageId: number,
  reaction: Reaction,
  reactor: ReactorJson,
): EmittedOfType<'reaction'> {
  const { userId, emojiName, emojiCode, reactionType } = reaction
  return {
    type: 'reaction',
    op,
    user_id: userId,
    user: reactor,
    message_id: messageId,
    emoji_name: emojiName,
    emoji_code: emojiCode,
    reaction_type: reactionType,
  }
}

export function submessageEvent({
  id,
  messageId,
  senderId,
  msgType,
  content,
}: Submessage): EmittedOfType<'submessage'> {
  return {
    type: 'submessage',
    msg_type: msgType,
    message_id: messageId,
    submessage_id: id,
    sender_id: senderId,
    content,
  }
}

/** Returns the event for deleted messages of one conversation. `topic` must be null for direct messages. */
export function deletionEvent(
  messageIds: readonly number[],
  topic: { channelId: number; topic: string } | null,
): EmittedOfType<'delete_message'> {
  const type = 'delete_message'
  if (topic === null) return { type, message_ids: messageIds, message_type: 'private' }
  return { type, message_ids: messageIds, message_type: 'stream', stream_id: topic.channelId, topic: topic.topic }
}
