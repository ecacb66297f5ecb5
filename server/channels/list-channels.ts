import { findMembershipScope } from '../groups/membership.ts'
import { isGuest } from '../people/users/role.ts'
import type { Actor } from '../people/users/user.ts'
import type { Db } from '../platform/storage/storage.ts'
import { hasContentAccess, hasMetadataAccess } from './access.ts'
import type { Channel } from './channel.ts'
import { findDefaultChannelIds } from './default-channel-queries.ts'
import { findRealmChannels } from './queries.ts'
import { findSubscribedIds } from './subscription-status-queries.ts'

/** Which channels a list is to hold: those to which one of these applies. */
export type ChannelFilters = {
  public: boolean
  webPublic: boolean
  subscribed: boolean
  /** Takes no channel in: whether archived ones are left in. */
  archived: boolean
  all: boolean
  default: boolean
  /** For bots: what their owner is subscribed to. */
  ownerSubscribed: boolean
  readable: boolean
}

/** The channels that the filters ask for and the actor may know of, in the order of their names. */
export async function findFilteredChannels(
  db: Db,
  actor: Actor,
  filters: ChannelFilters,
  now: number,
): Promise<Channel[]> {
  const scope = await findMembershipScope(db, actor, now)
  const subscribed = await findSubscribedIds(db, actor.id)
  const ofOwner =
    filters.ownerSubscribed && actor.botOwnerId !== null ? await findSubscribedIds(db, actor.botOwnerId) : null
  const defaultIds = await findDefaultChannelIds(db, actor.realmId)

  const isAskedFor = (channel: Channel) =>
    filters.all ||
    (filters.public && !channel.isPrivate && !isGuest(actor)) ||
    (filters.webPublic && channel.isWebPublic) ||
    (filters.subscribed && subscribed.has(channel.id)) ||
    (filters.default && defaultIds.has(channel.id)) ||
    (filters.readable && hasContentAccess(scope, actor, channel, subscribed.has(channel.id)))
  const isListed = (channel: Channel) =>
    (filters.archived || channel.archivedAt === null) &&
    ((ofOwner?.has(channel.id) ?? false) ||
      (isAskedFor(channel) && hasMetadataAccess(scope, actor, channel, subscribed.has(channel.id))))
  const channels = (await findRealmChannels(db, actor.realmId)).filter(isListed)
  return channels.sort((one, other) => (one.name < other.name ? -1 : 1))
}
