import type { Channel } from '#channels/channel.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { Flag } from './flag.ts'
import { saveHistoricalRecords } from './save-historical-records.ts'

/** The maximum number of earlier messages for which a new subscriber gets records. */
const MAX_MESSAGES = 1000

/** The maximum number of these messages that start as unread. They are the newest ones. */
const MAX_UNREAD = 20

/** Gives a new subscriber records of recent messages in the channels, except in channels with protected history. */
export async function addRecentHistory(tx: Transaction, userId: number, channels: readonly Channel[]): Promise<void> {
  const sharedChannels = channels.filter((channel) => channel.isHistoryShared)
  if (sharedChannels.length === 0) return
  // A message that is being sent is either visible here or delivered to the new subscriber.
  await lockMessageIds(tx)
  const recent = await findRecentIds(
    tx.db,
    sharedChannels.map(({ id }) => id),
  )
  await saveHistoricalRecords(tx, userId, recent.slice(0, MAX_UNREAD), Flag.historical)
  await saveHistoricalRecords(tx, userId, recent.slice(MAX_UNREAD))
}

/** Returns the ids of the newest messages in the channels, newest first. */
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
