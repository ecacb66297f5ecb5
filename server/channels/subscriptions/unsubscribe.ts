import { findMembershipScope } from '../../groups/membership.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Actor, User } from '../../people/users/user.ts'
import { lockMessageIds } from '../../platform/storage/counters.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { hasMetadataAccess } from '../access.ts'
import type { Channel } from '../channel.ts'
import { channelsDeleted } from '../events.ts'
import { trackUserVisibility } from '../user-visibility.ts'
import { channelDoesNotExist, lockNamedChannels, requireMayUnsubscribe } from './access.ts'
import { emitPeerChanges } from './emit-peer-changes.ts'
import { peersRemoved, subscriptionsRemoved } from './events.ts'
import { groupByChannels } from './group-by-channels.ts'
import { type Principals, requirePrincipals } from './principals.ts'
import { deactivateSubscriptions } from './queries.ts'
import type { UserChannelPair } from './subscription.ts'

/** Whose subscription to what was ended, and whose was not there to end. */
export type UnsubscribeResult = { removed: UserChannelPair[]; notRemoved: UserChannelPair[] }

/**
 * Ends subscriptions to the channels of these names, the actor's own or the principals'. All that can be refused is
 * refused before anything is written; a channel that the actor may not know of is refused like one that is not there.
 * What is being sent there has been sent when it returns, and is seen by the next statement.
 */
export async function unsubscribe(
  tx: Transaction,
  actor: Actor,
  names: readonly string[],
  principals?: Principals,
): Promise<UnsubscribeResult> {
  const users = await requirePrincipals(tx.db, actor, principals, tx.now)
  const { channels, unknownName } = await lockNamedChannels(tx, actor, users, names)
  await requireMayUnsubscribe(tx.db, actor, users, channels, tx.now)
  if (unknownName !== null) throw channelDoesNotExist({ name: unknownName })
  await lockMessageIds(tx)
  return unsubscribeUsers(tx, actor.realm, users, channels)
}

/** Ends the users' subscriptions to the channels, and tells all whom it concerns. Nobody's permission is asked. */
export async function unsubscribeUsers(
  tx: Transaction,
  realm: Realm,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<UnsubscribeResult> {
  const tellOfSight = await trackUserVisibility(tx, realm, users, channels)
  const idsOf = (things: readonly { id: number }[]) => things.map((thing) => thing.id)
  const ended = await deactivateSubscriptions(tx, idsOf(users), idsOf(channels))
  const departures = partition(users, channels, new Set(ended.map((row) => `${row.userId} ${row.channelId}`)))

  if (departures.removed.length > 0) {
    await emitUnsubscribed(tx, realm, departures.removed)
    await emitPeerChanges(tx, realm, departures.removed, peersRemoved)
    await tellOfSight()
  }
  return departures
}

function partition(
  users: readonly User[],
  channels: readonly Channel[],
  ended: ReadonlySet<string>,
): UnsubscribeResult {
  const departures: UnsubscribeResult = { removed: [], notRemoved: [] }
  for (const channel of channels) {
    for (const user of users) {
      const { removed, notRemoved } = departures
      ;(ended.has(`${user.id} ${channel.id}`) ? removed : notRemoved).push({ user, channel })
    }
  }
  return departures
}

/** One event for all channels that somebody has left, and one for those that they may not know of any longer. */
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
