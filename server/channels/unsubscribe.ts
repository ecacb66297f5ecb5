import { findMembershipScope, viewerOf } from '#groups/viewer.ts'
import type { Actor, User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { hasMetadataAccess } from '#rules/permissions.ts'
import { lockRecipients } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  channelDoesNotExist,
  lockNamedChannels,
  type Principals,
  requireMayUnsubscribe,
  requirePrincipals,
} from './access.ts'
import { channelsDeleted, emitPeerChanges, peersRemoved, subscriptionsRemoved } from './audience.ts'
import type { Channel } from './channel.ts'
import { groupByChannels, saveUnsubscribed, type UserChannelPair } from './subscriptions.ts'
import { trackUserVisibility } from './visibility.ts'

// Unsubscribing users from channels. Everything that can be refused is refused before anything is written. Users who
// can no longer see a channel receive its deletion. The call of the API, which also notifies users, is
// workflows/unsubscribe-and-notify.ts.

/** The pairs of users and channels that were unsubscribed, and those that were not subscribed. */
export type UnsubscribeResult = { removed: UserChannelPair[]; notRemoved: UserChannelPair[] }

/**
 * Unsubscribes the principals (by default the actor) from the channels with these names. Everything that can be refused
 * is refused before anything is written. A channel that the actor may not see is refused like a missing one. When this
 * returns, messages that were being sent to these channels have been saved, and the next statement sees them.
 */
export async function unsubscribe(
  tx: Transaction,
  actor: Actor,
  names: readonly string[],
  principals?: Principals,
): Promise<UnsubscribeResult> {
  const users = await requirePrincipals(viewerOf(tx.db, actor, tx.now), principals)
  const { channels, unknownName, viewer } = await lockNamedChannels(tx, actor, users, names)
  await requireMayUnsubscribe(viewer, users, channels)
  if (unknownName !== null) throw channelDoesNotExist({ name: unknownName })
  // The database runs these statements in order, without a round trip between them.
  const [, result] = await Promise.all([lockRecipients(tx), unsubscribeUsers(tx, actor.realm, users, channels)])
  return result
}

/** Unsubscribes the users from the channels and emits the changes, without checking permissions. */
async function unsubscribeUsers(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<UnsubscribeResult> {
  const emitVisibilityChanges = await trackUserVisibility(tx, realm, users, channels)
  const idsOf = (rows: readonly { id: number }[]) => rows.map((row) => row.id)
  const ended = await saveUnsubscribed(tx, idsOf(users), idsOf(channels))
  const result = partition(users, channels, new Set(ended.map((row) => `${row.userId} ${row.channelId}`)))

  if (result.removed.length > 0) {
    await emitUnsubscribed(tx, realm, result.removed)
    await emitPeerChanges(tx, realm, result.removed, peersRemoved)
    await emitVisibilityChanges()
  }
  return result
}

function partition(
  users: readonly User[],
  channels: readonly Channel[],
  ended: ReadonlySet<string>,
): UnsubscribeResult {
  const result: UnsubscribeResult = { removed: [], notRemoved: [] }
  for (const channel of channels) {
    for (const user of users) {
      const { removed, notRemoved } = result
      ;(ended.has(`${user.id} ${channel.id}`) ? removed : notRemoved).push({ user, channel })
    }
  }
  return result
}

/**
 * Emits to each user one event for all channels that they have left, and one event for those channels that they can no
 * longer see.
 */
async function emitUnsubscribed(tx: Transaction, realm: Realm, left: readonly UserChannelPair[]): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  for (const { userIds, channels } of groupByChannels(left)) {
    tx.emit(realm.id, subscriptionsRemoved(channels), userIds)
  }
  const lost = left.filter(({ user, channel }) => !hasMetadataAccess(scope, user, channel, false))
  for (const { userIds, channels } of groupByChannels(lost)) {
    const ids = channels.map((channel) => channel.id)
    tx.emit(realm.id, channelsDeleted(ids), userIds)
  }
}
