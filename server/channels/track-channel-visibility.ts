import { findRealmGroups } from '#groups/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { newChannelActivity } from './activity.ts'
import { findActivity } from './activity-queries.ts'
import { findAudiences } from './audience.ts'
import { findSubscriberIds } from './audience-queries.ts'
import type { Channel } from './channel.ts'
import { toChannelJson } from './channel-json.ts'
import { channelsCreated, channelsDeleted, peersAdded } from './events.ts'
import { emitUserTopics } from './user-topics/emit-user-topics.ts'

/**
 * Emits channels to users who can see them now but could not before. Also emits the channels' subscribers, and the
 * users' topic policies in the channels.
 */
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
 * Records which users may see the channels. Call the returned function after a change: it emits to each user the
 * channels that became visible, and those that are no longer visible.
 */
export async function trackChannelVisibility(
  tx: Transaction,
  realm: Realm,
  channels: readonly Channel[],
): Promise<(realm: Realm) => Promise<void>> {
  const before = await findAudiences(tx.db, realm, channels, tx.now)
  return async (changedRealm) => {
    const after = await findAudiences(tx.db, changedRealm, channels, tx.now)
    for (const channel of channels) {
      const [couldSee, canSee] = [before, after].map((audiences) => new Set(audiences.get(channel.id)))
      tx.emit(realm.id, channelsDeleted([channel.id]), couldSee!.difference(canSee!))
      await emitNewlyVisibleChannels(tx, realm.id, [channel], [...canSee!.difference(couldSee!)])
    }
  }
}
