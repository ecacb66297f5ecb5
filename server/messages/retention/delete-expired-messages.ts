import { findChannelSubscriberIds } from '../../channels/audience-queries.ts'
import type { Channel } from '../../channels/channel.ts'
import { findChannel } from '../../channels/queries.ts'
import { retentionCutoff } from '../../organizations/realms/retention.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { endMessages } from '../editing/end-messages.ts'
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

/** How many messages were deleted, and whether more of the place may have to go. */
export type DeletedBatch = { count: number; isMore: boolean }

const NONE: DeletedBatch = { count: 0, isMore: false }

/** Deletes messages of a channel or conversation whose time is over; how long they are kept there is looked up anew. */
export async function deleteExpiredMessages(tx: Transaction, container: MessageContainer): Promise<DeletedBatch> {
  const found = await findContainerRetention(tx.db, container)
  if (found === null) return NONE
  const before = retentionCutoff(found.retention, tx.now)
  return before === null ? NONE : deleteMessagesSentBefore(tx, { ...container, realmId: found.realmId }, before)
}

/** Deletes the oldest messages there that were sent before a moment, for everybody, as far as one transaction should. */
export async function deleteMessagesSentBefore(
  tx: Transaction,
  { realmId, ...container }: MessageContainer & { realmId: number },
  before: number,
): Promise<DeletedBatch> {
  const oldest = await findOldestMessages(tx.db, container, tx.now)
  const over = oldest.filter(({ sentAt }) => sentAt < before)
  if (over.length === 0) return NONE

  const channel = container.channelId === 0 ? null : await findChannel(tx.db, realmId, container.channelId)
  const portion = over.slice(0, await findBatchSize(tx.db, over, channel))
  const ended = await lockMessages(
    tx,
    container,
    portion.map(({ id }) => id),
  )
  await endMessages(tx, realmId, ended, { channel })
  return { count: ended.length, isMore: portion.length < over.length || oldest.length === MESSAGE_BATCH_SIZE }
}

async function findBatchSize(db: Db, messages: readonly RetainedMessage[], channel: Channel | null): Promise<number> {
  const ids = messages.map(({ id }) => id)
  const records = await countUserMessages(db, ids, MAX_BATCH_COST)
  const subscribers =
    channel === null || hasProtectedHistory(channel) ? [] : await findChannelSubscriberIds(db, channel.id)
  const burdens = messages.map(({ id, topicKey }) => ({ topicKey, records: records.get(id) ?? 0 }))
  return batchSizeOf(burdens, subscribers.length)
}
