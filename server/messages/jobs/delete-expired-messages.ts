import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannel } from '#channels/queries.ts'
import { channelRetention, type Retention, retentionCutoff } from '#realms/message-retention.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { deleteMessages } from '../editing/delete-messages.ts'
import type { MessageContainer } from '../unread.ts'
import {
  CONTAINERS_AT_ONCE,
  type ContainerAge,
  countUserMessages,
  findChannelAges,
  findContainerRetention,
  findConversationAges,
  findOldestMessages,
  findRealmRetentions,
  lockMessages,
  MESSAGE_BATCH_SIZE,
  type RetainedMessage,
} from './retention-queries.ts'

/** The properties that determine the cost of deleting a message: its topic, and the number of user records of it. */
export type DeletionCost = { topicKey: string; records: number }

/**
 * The maximum number of deleted records and event recipients per transaction. Such a transaction takes a few
 * milliseconds, during which SQLite blocks other writers.
 */
export const MAX_BATCH_COST = 1000

/**
 * Returns the number of messages from the start of the list that are deleted together. These are as many as
 * `MAX_BATCH_COST` allows, but at least one. Each topic costs one event to all subscribers.
 */
export function batchSizeOf(messages: readonly DeletionCost[], subscribers: number): number {
  const topics = new Set<string>()
  let cost = 0
  for (const [count, { topicKey, records }] of messages.entries()) {
    cost += records + (topics.has(topicKey) ? 0 : subscribers)
    topics.add(topicKey)
    if (cost > MAX_BATCH_COST) return Math.max(count, 1)
  }
  return messages.length
}

/** Yields the channels and conversations whose oldest message has expired. */
export async function* findContainersWithExpired(db: Db, now: number): AsyncGenerator<MessageContainer> {
  const realmRetentions = await findRealmRetentions(db)
  const limited = [...realmRetentions].filter(([, retention]) => retentionCutoff(retention, now) !== null)
  const realmIds = limited.map(([realmId]) => realmId)
  for (let last = 0, isMore = true; isMore; ) {
    const channels = await findChannelAges(db, { realmIds, last, now })
    for (const { id, realmId, own, ...age } of channels) {
      last = id
      const realmRetention = realmRetentions.get(realmId)
      if (realmRetention !== undefined && isExpired(age, channelRetention(own, realmRetention), now))
        yield age.container
    }
    isMore = channels.length === CONTAINERS_AT_ONCE
    await yieldToOthers()
  }
  for (const [realmId, retention] of limited) yield* findConversationsWithExpired(db, realmId, retention, now)
}

async function* findConversationsWithExpired(
  db: Db,
  realmId: number,
  retention: Retention,
  now: number,
): AsyncGenerator<MessageContainer> {
  for (let last = '', isMore = true; isMore; ) {
    const conversations = await findConversationAges(db, { realmId, last, now })
    for (const { key, ...age } of conversations) {
      last = key
      if (isExpired(age, retention, now)) yield age.container
    }
    isMore = conversations.length === CONTAINERS_AT_ONCE
    await yieldToOthers()
  }
}

function isExpired({ oldestSentAt }: ContainerAge, retention: Retention, now: number): boolean {
  const before = retentionCutoff(retention, now)
  return before !== null && oldestSentAt !== null && oldestSentAt < before
}

/**
 * The number of deleted messages. `isMore` is true if the same channel or conversation may have more expired messages.
 */
type DeletedBatch = { count: number; isMore: boolean }

const NONE: DeletedBatch = { count: 0, isMore: false }

/** Deletes a batch of expired messages of a channel or conversation. Its current retention setting applies. */
export async function deleteExpiredMessages(tx: Transaction, container: MessageContainer): Promise<DeletedBatch> {
  const found = await findContainerRetention(tx.db, container)
  if (found === null) return NONE
  const before = retentionCutoff(found.retention, tx.now)
  return before === null ? NONE : deleteMessagesSentBefore(tx, { ...container, realmId: found.realmId }, before)
}

/** Deletes a batch of the oldest messages of the container that were sent before this time. */
export async function deleteMessagesSentBefore(
  tx: Transaction,
  { realmId, ...container }: MessageContainer & { realmId: number },
  before: number,
): Promise<DeletedBatch> {
  const oldest = await findOldestMessages(tx.db, container, tx.now)
  const expired = oldest.filter(({ sentAt }) => sentAt < before)
  if (expired.length === 0) return NONE

  const channel = container.channelId === 0 ? null : await findChannel(tx.db, realmId, container.channelId)
  const batch = expired.slice(0, await findBatchSize(tx.db, expired, channel))
  const deleted = await lockMessages(
    tx,
    container,
    batch.map(({ id }) => id),
  )
  await deleteMessages(tx, realmId, deleted, { channel })
  return { count: deleted.length, isMore: batch.length < expired.length || oldest.length === MESSAGE_BATCH_SIZE }
}

async function findBatchSize(db: Db, messages: readonly RetainedMessage[], channel: Channel | null): Promise<number> {
  const ids = messages.map(({ id }) => id)
  const records = await countUserMessages(db, ids, MAX_BATCH_COST)
  const subscribers =
    channel === null || hasProtectedHistory(channel) ? [] : await findChannelSubscriberIds(db, channel.id)
  const costs = messages.map(({ id, topicKey }) => ({ topicKey, records: records.get(id) ?? 0 }))
  return batchSizeOf(costs, subscribers.length)
}
