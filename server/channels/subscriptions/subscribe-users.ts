import { findMembershipScope } from '#groups/membership.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/channel-rules.ts'
import type { Transaction } from '#storage/storage.ts'
import { newChannelActivity } from '../activity.ts'
import { findActivity } from '../activity-queries.ts'
import { findSubscriberIds } from '../audience-queries.ts'
import type { Channel } from '../channel.ts'
import { type ChannelJson, toChannelJson } from '../channel-json.ts'
import { channelsCreated, peersAdded } from '../events.ts'
import { trackUserVisibility } from '../track-user-visibility.ts'
import { emitUserTopics } from '../user-topics/emit-user-topics.ts'
import { emitPeerChanges } from './emit-peer-changes.ts'
import { subscriptionsAdded } from './events.ts'
import { groupByChannels } from './group-by-channels.ts'
import { saveSubscriptions } from './queries.ts'
import {
  defaultColor,
  type InheritedNotifications,
  inheritedNotifications,
  type Subscription,
  toSubscriptionJson,
  type UserChannelPair,
} from './subscription.ts'

/** The pairs of users and channels that are newly subscribed, and those that were already subscribed. */
export type SubscribeUsersResult = { subscribed: UserChannelPair[]; alreadySubscribed: UserChannelPair[] }

const noColors: ReadonlyMap<number, string> = new Map()

/**
 * Subscribes every user to every channel and emits the changes, without checking permissions. Users who were subscribed
 * before get their former settings back. `colors`, by channel id, apply only to new subscriptions.
 */
export async function subscribeUsers(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
  colors = noColors,
): Promise<SubscribeUsersResult> {
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, users, channels)
  const wanted = channels.flatMap(({ id: channelId }) => {
    const color = colors.get(channelId) ?? defaultColor(channelId)
    return users.map(({ id: userId }) => ({ userId, channelId, color }))
  })
  const saved = await saveSubscriptions(tx, wanted)
  const result = splitResult(users, channels, saved)

  if (saved.length > 0) {
    await emitVisibilityChanges()
    await emitSubscribed(tx, realm, result.subscribed, saved)
    await emitPeerChanges(tx, realm, result.subscribed, peersAdded)
  }
  return result
}

function splitResult(
  users: readonly User[],
  channels: readonly Channel[],
  saved: readonly Subscription[],
): SubscribeUsersResult {
  const isNew = new Set(saved.map((subscription) => `${subscription.userId} ${subscription.channelId}`))
  const result: SubscribeUsersResult = { subscribed: [], alreadySubscribed: [] }
  for (const channel of channels) {
    for (const user of users) {
      const { subscribed, alreadySubscribed } = result
      ;(isNew.has(`${user.id} ${channel.id}`) ? subscribed : alreadySubscribed).push({ user, channel })
    }
  }
  return result
}

/** Emits to the new subscribers first the channels that they could not see before, then their subscriptions. */
async function emitSubscribed(
  tx: Transaction,
  realm: Realm,
  joined: readonly UserChannelPair[],
  saved: readonly Subscription[],
): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const channels = new Map(joined.map(({ channel }) => [channel.id, channel]))
  const activity = await findActivity(tx.db, [...channels.values()], tx.now)
  const json = new Map<number, ChannelJson>()
  for (const [id, channel] of channels) {
    json.set(id, toChannelJson(channel, activity.get(id) ?? newChannelActivity, scope.groups))
  }

  const newlyVisible = joined.filter(({ user, channel }) => !hasMetadataAccess(scope, user, channel, false))
  for (const { userIds, channels } of groupByChannels(newlyVisible)) {
    tx.emit(realm.id, channelsCreated(channels.flatMap((channel) => json.get(channel.id) ?? [])), userIds)
    const ids = channels.map((channel) => channel.id)
    await emitUserTopics(tx, realm.id, ids, userIds)
  }
  const subscribers = await findSubscriberIds(tx.db, [...channels.keys()])
  for (const { userIds, subscriptions, inherited } of groupEqualSubscriptions(joined, saved)) {
    const added = subscriptions.flatMap((subscription) => {
      const channel = json.get(subscription.channelId)
      const peers = [...(subscribers.get(subscription.channelId) ?? [])]
      return channel === undefined ? [] : toSubscriptionJson(subscription, channel, peers)
    })
    tx.emit(realm.id, subscriptionsAdded(added, inherited), userIds)
  }
}

type SubscriberGroup = {
  userIds: number[]
  subscriptions: Omit<Subscription, 'userId'>[]
  inherited: InheritedNotifications
}

/**
 * Groups users whose subscriptions are equal. Subscriptions of users who were never subscribed before are mostly equal.
 */
export function groupEqualSubscriptions(
  joined: readonly UserChannelPair[],
  saved: readonly Subscription[],
): SubscriberGroup[] {
  const users = new Map(joined.map(({ user }) => [user.id, user]))
  const groups = new Map<string, SubscriberGroup>()
  for (const [userId, userSubscriptions] of Map.groupBy(saved, (subscription) => subscription.userId)) {
    const user = users.get(userId)
    if (user === undefined) continue
    const subscriptions = userSubscriptions.map(({ userId: _, ...subscription }) => subscription)
    const inherited = inheritedNotifications(user)
    const key = JSON.stringify([subscriptions, inherited])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { userIds: [userId], subscriptions, inherited })
    else group.userIds.push(userId)
  }
  return [...groups.values()]
}
