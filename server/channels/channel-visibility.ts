import { findRealmGroups } from '../groups/queries.ts'
import type { Realm } from '../organizations/realms/realm.ts'
import type { Transaction } from '../platform/storage/storage.ts'
import { newChannelActivity } from './activity.ts'
import { findActivity } from './activity-queries.ts'
import { findAudiences } from './audience.ts'
import { findSubscriberIds } from './audience-queries.ts'
import type { Channel } from './channel.ts'
import { toChannelJson } from './channel-json.ts'
import { channelsCreated, channelsDeleted, peersAdded } from './events.ts'
import { emitUserTopics } from './user-topics/emit-user-topics.ts'

/** Tells people of channels that they may know of now: what they are, who is in them, and what was set for their topics. */
export async function emitNewlyVisibleChannels(
  tx: Transaction,
  realmId: number,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<void> {
  if (channels.length === 0 || userIds.length === 0) return
  const groups = await findRealmGroups(tx.db, realmId)
  const activity = await findActivity(tx.db, channels, tx.now)
  const json = channels.map((channel) => toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, groups))
  tx.emit(realmId, channelsCreated(json), userIds)

  const ids = channels.map((channel) => channel.id)
  for (const [id, subscribers] of await findSubscriberIds(tx.db, ids))
    tx.emit(realmId, peersAdded([id], [...subscribers]), userIds)
  await emitUserTopics(tx, realmId, ids, userIds)
}

/**
 * Notes who may know of the channels. The function that it returns, called when that has changed, tells everybody what
 * came into their sight and what went out of it.
 */
export async function trackChannelVisibility(
  tx: Transaction,
  realm: Realm,
  channels: readonly Channel[],
): Promise<(realm: Realm) => Promise<void>> {
  const before = await findAudiences(tx.db, realm, channels, tx.now)
  return async (realmNow) => {
    const after = await findAudiences(tx.db, realmNow, channels, tx.now)
    for (const channel of channels) {
      const [knew, know] = [before, after].map((audiences) => new Set(audiences.get(channel.id)))
      tx.emit(realm.id, channelsDeleted([channel.id]), knew!.difference(know!))
      await emitNewlyVisibleChannels(tx, realm.id, [channel], [...know!.difference(knew!)])
    }
  }
}
