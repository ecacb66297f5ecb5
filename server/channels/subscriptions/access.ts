import { findMembershipScope, isInSetting } from '../../groups/membership.ts'
import { insufficientPermission } from '../../people/users/access.ts'
import { isAdministrator, isGuest } from '../../people/users/role.ts'
import type { Actor, User } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { hasMetadataAccess, isChannelAdministrator, NO_CHANNEL_ID } from '../access.ts'
import type { Channel } from '../channel.ts'
import { channelNameKey, requireChannelName } from '../channel-name.ts'
import { lockChannelsByNameKey } from '../queries.ts'
import { findSubscriptionStatuses } from '../subscription-status-queries.ts'
import { findChannelsKnownByName } from './queries.ts'

export const channelDoesNotExist = refusal(
  'STREAM_DOES_NOT_EXIST',
  400,
  "Channel '{name}' does not exist",
  ({ name }) => ({ stream: name }),
)

/** Whether somebody acts for themselves when they act for the user: it is they, or a bot of theirs. */
export function isSelfOrOwnBot(actor: User, user: User): boolean {
  return user.id === actor.id || user.botOwnerId === actor.id
}

/** The channels that names mean to somebody, each once, and the first name that means none. */
export type NamedChannels = { channels: Channel[]; unknownName: string | null }

/**
 * What the names mean to the actor, on behalf of `users`. A channel that the actor may not know of does not exist for
 * them, unless they or a bot of theirs among the users is in it or was in it while it had this name: a client must be
 * able to repeat the request after leaving. Until the transaction ends nobody changes who may know of the channels.
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
  const known = await findVisibleChannels(tx.db, actor, users, named, tx.now)
  const channels = new Set<Channel>()
  let unknownName: string | null = null
  for (const name of names) {
    const channel = found.get(channelNameKey(name))
    if (channel !== undefined && known.has(channel)) channels.add(channel)
    else unknownName ??= name
  }
  return { channels: [...channels], unknownName }
}

/**
 * Those of the channels that the actor may know of, or was in while it had its present name, be it with a bot of theirs
 * among the users. Null stands for a channel that does not exist, and takes the same queries as a hidden one.
 */
export async function findVisibleChannels(
  db: Db,
  actor: Actor,
  users: readonly User[],
  channels: readonly (Channel | null)[],
  now: number,
): Promise<ReadonlySet<Channel>> {
  const scope = await findMembershipScope(db, actor, now)
  const [known, hidden] = [new Set<Channel>(), new Map<number, Channel | null>()]
  for (const channel of channels) {
    if (channel !== null && hasMetadataAccess(scope, actor, channel, false)) known.add(channel)
    else hidden.set(channel?.id ?? NO_CHANNEL_ID, channel)
  }
  if (hidden.size === 0) return known
  const own = [actor, ...users.filter((user) => isSelfOrOwnBot(actor, user))].map((user) => user.id)
  for (const id of await findChannelsKnownByName(db, own, [...hidden.keys()])) known.add(hidden.get(id) as Channel)
  return known
}

/**
 * Refuses to remove others unless the actor may do so in every channel; guests never may, be there no channel at all.
 * Themselves and their bots anybody may remove.
 */
export async function requireMayUnsubscribe(
  db: Db,
  actor: Actor,
  users: readonly User[],
  channels: readonly Channel[],
  now: number,
): Promise<void> {
  if (users.every((user) => isSelfOrOwnBot(actor, user)) || isAdministrator(actor)) return
  if (isGuest(actor)) throw insufficientPermission()
  const scope = await findMembershipScope(db, actor, now)
  if (channels.every((channel) => isChannelAdministrator(scope, actor, channel))) return
  const ids = channels.map((channel) => channel.id)
  const standings = await findSubscriptionStatuses(db, actor.id, ids)
  for (const channel of channels) {
    const isSubscribed = standings.get(channel.id) === 'subscribed'
    if (!hasMetadataAccess(scope, actor, channel, isSubscribed)) throw insufficientPermission()
    if (!isInSetting(scope, actor, channel.settings.can_remove_subscribers_group)) throw insufficientPermission()
  }
}
