import { newChannelActivity } from '#channels/activity.ts'
import { findActivity } from '#channels/activity-queries.ts'
import { findAudience } from '#channels/audience.ts'
import { findSubscriberIds } from '#channels/audience-queries.ts'
import type { Channel } from '#channels/channel.ts'
import { type ChannelJson, toChannelJson } from '#channels/channel-json.ts'
import { channelChanged, peersAdded } from '#channels/events.ts'
import { saveChannelFields } from '#channels/queries.ts'
import { subscriptionsAdded } from '#channels/subscriptions/events.ts'
import { findSubscriptionsTo } from '#channels/subscriptions/queries.ts'
import { groupEqualSubscriptions } from '#channels/subscriptions/subscribe-users.ts'
import { toSubscriptionJson } from '#channels/subscriptions/subscription.ts'
import { trackUserVisibility } from '#channels/track-user-visibility.ts'
import { emitUserTopics } from '#channels/user-topics/emit-user-topics.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUsersById } from '#people/users/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'

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
