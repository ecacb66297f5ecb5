import { findRealmGroups } from '../../../groups/queries.ts'
import type { Realm } from '../../../organizations/realms/realm.ts'
import { findUsersById } from '../../../people/users/queries.ts'
import { refusal } from '../../../platform/errors/refusal.ts'
import type { Transaction } from '../../../platform/storage/storage.ts'
import { newChannelActivity } from '../../activity.ts'
import { findActivity } from '../../activity-queries.ts'
import { findAudience } from '../../audience.ts'
import { findSubscriberIds } from '../../audience-queries.ts'
import type { Channel } from '../../channel.ts'
import { type ChannelJson, toChannelJson } from '../../channel-json.ts'
import { channelChanged, peersAdded } from '../../events.ts'
import { saveChannelFields } from '../../queries.ts'
import { trackUserVisibility } from '../../track-user-visibility.ts'
import { emitUserTopics } from '../../user-topics/emit-user-topics.ts'
import { subscriptionsAdded } from '../events.ts'
import { findSubscriptionsTo } from '../queries.ts'
import { groupEqualSubscriptions } from '../subscribe-users.ts'
import { toSubscriptionJson } from '../subscription.ts'

export const notArchived = refusal('BAD_REQUEST', 400, 'Channel is not archived.', { field: 'is_archived' })

/**
 * Makes an archived channel usable again, with its subscribers and messages. Settings of the organization that named
 * the channel stay cleared, and it does not become a default channel again.
 */
export async function unarchiveChannel(tx: Transaction, realm: Realm, channel: Channel): Promise<Channel> {
  if (channel.archivedAt === null) throw notArchived()
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, [], [channel])
  await saveChannelFields(tx, channel.id, { archivedAt: null })
  await emitVisibilityChanges()
  const restored = { ...channel, archivedAt: null }
  const audience = await findAudience(tx.db, realm, restored, tx.now)
  const [groups, activity] = [await findRealmGroups(tx.db, realm.id), await findActivity(tx.db, [restored], tx.now)]
  const json = toChannelJson(restored, activity.get(channel.id) ?? newChannelActivity, groups)
  tx.emit(realm.id, channelChanged(restored, 'is_archived', false, { restored: json }), audience)
  await emitSubscribersAgain(tx, realm, { channel: restored, json, audience })
  await emitUserTopics(tx, realm.id, [channel.id], audience)
  return restored
}

/**
 * Emits the subscribers, and to each of them the subscription, for clients that deleted the channel when it was
 * archived.
 */
async function emitSubscribersAgain(
  tx: Transaction,
  realm: Realm,
  { channel, json, audience }: { channel: Channel; json: ChannelJson; audience: readonly number[] },
): Promise<void> {
  const { id } = channel
  const subscribers = [...((await findSubscriberIds(tx.db, [id])).get(id) ?? [])]
  if (subscribers.length === 0) return
  tx.emit(realm.id, { ...peersAdded([id], subscribers), is_restored: true }, audience)
  const pairs = (await findUsersById(tx.db, subscribers)).map((user) => ({ user, channel }))
  const saved = await findSubscriptionsTo(tx.db, id)
  for (const { userIds, subscriptions, inherited } of groupEqualSubscriptions(pairs, saved)) {
    const added = subscriptions.map((subscription) => toSubscriptionJson(subscription, json, subscribers))
    tx.emit(realm.id, { ...subscriptionsAdded(added, inherited), is_restored: true }, userIds)
  }
}
