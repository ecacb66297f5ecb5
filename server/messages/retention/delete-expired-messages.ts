import { findChannelSubscriberIds } from '#channels/audience-queries.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannel } from '#channels/queries.ts'
import { retentionCutoff } from '#realms/retention.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { deleteMessages } from '../editing/delete-messages.ts'
import type { MessageContainer } from '../flags/read-marks.ts'
import { batchSizeOf, MAX_BATCH_COST } from './batch-size.ts'
import {
  countUserMessages,
  findContainerRetention,
  findOldestMessages,
  lockMessages,
  MESSAGE_BATCH_SIZE,
  type RetainedMessage,
} from './queries.ts'

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
