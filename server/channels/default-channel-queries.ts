import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Channel } from './channel.ts'
import { findChannelsById } from './queries.ts'

const defaultChannelIds = defineCache<number, ReadonlySet<number>>({
  dependsOn: ['defaultChannels'],
  limit: 1000,
  async load(db, realmId) {
    const rows = await db.selectFrom('defaultChannels').select('channelId').where('realmId', '=', realmId).execute()
    return new Set(rows.map((row) => row.channelId))
  },
})

/** Returns the ids of the channels to which new users are subscribed, including archived ones. */
export function findDefaultChannelIds(db: Db, realmId: number): ReadonlySet<number> | Promise<ReadonlySet<number>> {
  return defaultChannelIds.get(db, realmId)
}

/** Returns the default channels that are not archived. */
export async function findDefaultChannels(db: Db, realmId: number): Promise<Channel[]> {
  const channels = await findChannelsById(db, realmId, [...(await findDefaultChannelIds(db, realmId))])
  return channels.filter((channel) => channel.archivedAt === null)
}

export async function saveDefaultChannel(tx: Transaction, realmId: number, channelId: number): Promise<void> {
  await tx
    .insertInto('defaultChannels')
    .values({ realmId, channelId })
    .onConflict((on) => on.doNothing())
    .execute()
}

export async function deleteDefaultChannel(tx: Transaction, realmId: number, channelId: number): Promise<void> {
  await tx.deleteFrom('defaultChannels').where('realmId', '=', realmId).where('channelId', '=', channelId).execute()
}
