import { invalidChannelId, mayNotAdminister, requireAdministrableChannel } from '#channels/access.ts'
import { findActivity, newChannelActivity } from '#channels/activity.ts'
import { channelChanged, findAudience, findSubscriberIds, peersAdded, subscriptionsAdded } from '#channels/audience.ts'
import { type Channel, type ChannelJson, toChannelJson } from '#channels/channel.ts'
import { lockChannel, saveChannelFields } from '#channels/queries.ts'
import { groupEqualSubscriptions } from '#channels/subscribe.ts'
import { findSubscriptionsTo, toSubscriptionJson } from '#channels/subscriptions.ts'
import { alreadyArchived, archiveChannel } from '#channels/update-channel.ts'
import { emitUserTopics } from '#channels/user-topics.ts'
import { trackUserVisibility } from '#channels/visibility.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import { findUsersById } from '#people/user-queries.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { postArchiveNotice } from './channel-notices.ts'

// Archiving channels and making archived ones usable again, with the notices in the channel.

export const notArchived = refusal('BAD_REQUEST', 400, 'Channel is not archived.', { field: 'is_archived' })

/**
 * Makes an archived channel usable again, with its subscribers and messages. Settings of the organization that named
 * the channel stay cleared, and it does not become a default channel again.
 */
export async function unarchiveChannel(tx: Transaction, realm: Realm, channel: Channel): Promise<Channel> {
  if (channel.archivedAt === null) throw notArchived()
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, [], [channel])
  await saveChannelFields(tx, channel.id, { archivedAt: null })
  await recordAudit(tx, realm.id, 'channel_unarchived', { targetId: channel.id })
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

export const archiveChannelEndpoint = endpoint({
  route: 'DELETE /streams/{stream_id}',
  summary: 'Archive a channel',
  description: 'Messages stay readable and subscribers stay subscribed, but no one can post in the channel.',
  who: 'user',
  refuses: [invalidChannelId, mayNotAdminister, alreadyArchived],
  async handle({ transaction, actor }, { stream_id: channelId }) {
    await transaction(async (tx) => {
      const { id } = await requireAdministrableChannel(viewerOf(tx.db, actor, tx.now), channelId)
      const channel = await lockChannel(tx, id)
      // The realm is locked before a message is saved, as in every transaction that does both.
      const realm = await lockRealm(tx, actor.realmId)
      await postArchiveNotice(tx, actor, channel)
      await archiveChannel(tx, realm, channel)
    })
    return {}
  },
})
