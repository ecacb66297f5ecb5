import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { insufficientPermission } from '#people/users/access.ts'
import type { Actor, User } from '#people/users/user.ts'
import { hasContentAccess, hasMetadataAccess, isChannelAdministrator, isRemover } from '#rules/channel-rules.ts'
import { isAdministrator, isGuest } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { mayAddSubscribers } from '../access.ts'
import type { Channel } from '../channel.ts'
import { channelNameKey, requireChannelName } from '../channel-name.ts'
import { NO_CHANNEL_ID } from '../own-subscription.ts'
import { lockChannelsByNameKey } from '../queries.ts'
import { findSubscriptionStatuses } from '../subscription-status-queries.ts'
import { findChannelsKnownByName } from './queries.ts'

export const channelDoesNotExist = refusal('STREAM_DOES_NOT_EXIST', 400, "Channel '{name}' does not exist", {
  field: 'subscriptions',
  extras: ({ name }) => ({ stream: name }),
})

/** Returns whether the user is the actor or a bot owned by the actor. */
function isSelfOrOwnBot(actor: User, user: User): boolean {
  return user.id === actor.id || user.botOwnerId === actor.id
}

/**
 * The named channels without duplicates, the first name without a channel that the actor may see, and a viewer that was
 * created after locking the channels.
 */
type NamedChannels = { channels: Channel[]; unknownName: string | null; viewer: Viewer }

/**
 * Finds the channels in which the actor changes the subscriptions of `users`, and locks them: until the transaction
 * ends, no other transaction can change who may see them. Channels that `findVisibleChannels` does not return count as
 * missing. It also returns channels that the actor has left, so that clients can repeat a request to leave a channel.
 */
export async function lockNamedChannels(
  tx: Transaction,
  actor: Actor,
  users: readonly User[],
  given: readonly string[],
): Promise<NamedChannels> {
  const names = given.map(requireChannelName)
  const found = await lockChannelsByNameKey(tx, actor.realmId, names)
  const named = names.map((name) => found.get(channelNameKey(name)) ?? null)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const visible = await findVisibleChannels(viewer, users, named)
  const channels = new Set<Channel>()
  let unknownName: string | null = null
  for (const name of names) {
    const channel = found.get(channelNameKey(name))
    if (channel !== undefined && visible.has(channel)) channels.add(channel)
    else unknownName ??= name
  }
  return { channels: [...channels], unknownName, viewer }
}

/**
 * Returns the channels that the actor may see. Also returns those to which the actor, or one of the actor's bots among
 * `users`, was subscribed while the channel had its current name. Null stands for a missing channel, which takes the
 * same queries as a hidden one.
 */
export async function findVisibleChannels(
  viewer: Viewer,
  users: readonly User[],
  channels: readonly (Channel | null)[],
): Promise<ReadonlySet<Channel>> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const [visible, hidden] = [new Set<Channel>(), new Map<number, Channel | null>()]
  for (const channel of channels) {
    if (channel !== null && hasMetadataAccess(scope, actor, channel, false)) visible.add(channel)
    else hidden.set(channel?.id ?? NO_CHANNEL_ID, channel)
  }
  if (hidden.size === 0) return visible
  const ownUserIds = [actor, ...users.filter((user) => isSelfOrOwnBot(actor, user))].map((user) => user.id)
  for (const id of await findChannelsKnownByName(db, ownUserIds, [...hidden.keys()]))
    visible.add(hidden.get(id) as Channel)
  return visible
}

/** Separates the channels that the actor can read, and may therefore join, from all others. */
export async function splitByAccess(
  viewer: Viewer,
  channels: readonly Channel[],
): Promise<{ joinable: Channel[]; unauthorized: Channel[] }> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const unreadable = channels.filter((channel) => !hasContentAccess(scope, actor, channel, false))
  const ids = unreadable.map((channel) => channel.id)
  const statuses = unreadable.length === 0 ? new Map() : await findSubscriptionStatuses(db, actor.id, ids)
  const unauthorized = unreadable.filter((channel) => statuses.get(channel.id) !== 'subscribed')
  return { joinable: channels.filter((channel) => !unauthorized.includes(channel)), unauthorized }
}

/** Refuses unless the actor may subscribe other users to all of the channels. */
export async function requireMaySubscribeOthers(viewer: Viewer, channels: readonly Channel[]): Promise<void> {
  const { actor } = viewer
  const scope = await viewer.scope()
  if (channels.some((channel) => !mayAddSubscribers(scope, actor, channel, false))) throw insufficientPermission()
}

/**
 * Refuses unless the actor may unsubscribe the users from all of the channels. Everyone may unsubscribe themselves and
 * their own bots. Guests may not unsubscribe anyone else, even if there are no channels.
 */
export async function requireMayUnsubscribe(
  viewer: Viewer,
  users: readonly User[],
  channels: readonly Channel[],
): Promise<void> {
  const { db, actor } = viewer
  if (users.every((user) => isSelfOrOwnBot(actor, user)) || isAdministrator(actor)) return
  if (isGuest(actor)) throw insufficientPermission()
  const scope = await viewer.scope()
  if (channels.every((channel) => isChannelAdministrator(scope, actor, channel))) return
  const ids = channels.map((channel) => channel.id)
  const statuses = await findSubscriptionStatuses(db, actor.id, ids)
  for (const channel of channels) {
    const isSubscribed = statuses.get(channel.id) === 'subscribed'
    if (!isRemover(scope, actor, channel, isSubscribed)) throw insufficientPermission()
  }
}
