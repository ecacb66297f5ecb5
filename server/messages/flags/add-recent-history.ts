import type { Channel } from '../../channels/channel.ts'
import { lockMessageIds } from '../../platform/storage/counters.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { Flag } from './flag.ts'
import { saveHistoricalRecords } from './historical-records.ts'

/** How much of what was said before they came newcomers have records of, in messages. */
const MAX_MESSAGES = 1000

/** How much of that, the newest, they have not read. */
const MAX_UNREAD = 20

/**
 * Gives a newcomer, who was subscribed to the channels just now, what was said there lately; nothing of channels that
 * keep their history from them.
 */
export async function addRecentHistory(tx: Transaction, userId: number, channels: readonly Channel[]): Promise<void> {
  const open = channels.filter((channel) => channel.isHistoryShared)
  if (open.length === 0) return
  // What others are saying now is either seen here, or delivered to the newcomer as to any subscriber.
  await lockMessageIds(tx)
  const recent = await findRecentIds(
    tx.db,
    open.map(({ id }) => id),
  )
  await saveHistoricalRecords(tx, userId, recent.slice(0, MAX_UNREAD), Flag.historical)
  await saveHistoricalRecords(tx, userId, recent.slice(MAX_UNREAD))
}

/** Newest first. */
async function findRecentIds(db: Db, channelIds: readonly number[]): Promise<number[]> {
  const ids: number[] = []
  for (const channelId of channelIds) {
    const rows = await db
      .selectFrom('messages')
      .select('id')
      .where('channelId', '=', channelId)
      .orderBy('id', 'desc')
      .limit(MAX_MESSAGES)
      .execute()
    ids.push(...rows.map((row) => row.id))
  }
  return ids.sort((one, other) => other - one).slice(0, MAX_MESSAGES)
}
