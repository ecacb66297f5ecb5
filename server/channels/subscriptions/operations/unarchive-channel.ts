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
import { emitUserTopics } from '../../user-topics/emit-user-topics.ts'
import { trackUserVisibility } from '../../user-visibility.ts'
import { subscriptionsAdded } from '../events.ts'
import { findSubscriptionsTo } from '../queries.ts'
import { inheritedNotifications, toSubscriptionJson } from '../subscription.ts'

export const notArchived = refusal('BAD_REQUEST', 400, 'Channel is not archived.', { field: 'is_archived' })

/**
 * Makes an archived channel usable again, with its subscribers and messages. Settings of the organization that named it
 * stay cleared, and it is not a default channel.
 */
export async function unarchiveChannel(tx: Transaction, realm: Realm, channel: Channel): Promise<Channel> {
  if (channel.archivedAt === null) throw notArchived()
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, [], [channel])
  await saveChannelFields(tx, channel.id, { archivedAt: null })
  const restored = { ...channel, archivedAt: null }
  const audience = await findAudience(tx.db, realm, restored, tx.now)
  const [groups, activity] = [await findRealmGroups(tx.db, realm.id), await findActivity(tx.db, [restored], tx.now)]
  const json = toChannelJson(restored, activity.get(channel.id) ?? newChannelActivity, groups)
  tx.emit(realm.id, channelChanged(restored, 'is_archived', false, { restored: json }), audience)
  await emitSubscribersAgain(tx, realm, json, audience)
  await emitUserTopics(tx, realm.id, [channel.id], audience)
  await emitVisibilityChanges()
  return restored
}

/** Emits the subscribers and subscriptions to clients that deleted the channel when it was archived. */
async function emitSubscribersAgain(
  tx: Transaction,
  realm: Realm,
  json: ChannelJson,
  audience: readonly number[],
): Promise<void> {
  const { stream_id: id } = json
  const subscribers = [...((await findSubscriberIds(tx.db, [id])).get(id) ?? [])]
  if (subscribers.length === 0) return
  tx.emit(realm.id, { ...peersAdded([id], subscribers), is_restored: true }, audience)
  const users = new Map((await findUsersById(tx.db, subscribers)).map((user) => [user.id, user]))
  for (const subscription of await findSubscriptionsTo(tx.db, id)) {
    const user = users.get(subscription.userId)
    if (user === undefined) continue
    const added = subscriptionsAdded(
      [toSubscriptionJson(subscription, json, subscribers)],
      inheritedNotifications(user),
    )
    tx.emit(realm.id, { ...added, is_restored: true }, [user.id])
  }
}
