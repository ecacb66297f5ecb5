import { findMembershipScope } from '../groups/membership.ts'
import { isGuest } from '../people/users/role.ts'
import type { Actor } from '../people/users/user.ts'
import type { Db } from '../platform/storage/storage.ts'
import { hasContentAccess, hasMetadataAccess } from './access.ts'
import type { Channel } from './channel.ts'
import { findDefaultChannelIds } from './default-channel-queries.ts'
import { findRealmChannels } from './queries.ts'
import { findSubscribedIds } from './subscription-status-queries.ts'

/** The filters of a channel list. A channel is listed if at least one filter matches. */
export type ChannelFilters = {
  public: boolean
  webPublic: boolean
  subscribed: boolean
  /** Adds no channels: whether matching channels are listed even if they are archived. */
  archived: boolean
  all: boolean
  default: boolean
  /** For bots: the channels to which the bot's owner is subscribed. */
  ownerSubscribed: boolean
  readable: boolean
}

/** Returns the channels that match the filters and that the actor may see, ordered by name. */
export async function findFilteredChannels(
  db: Db,
  actor: Actor,
  filters: ChannelFilters,
  now: number,
): Promise<Channel[]> {
  const scope = await findMembershipScope(db, actor, now)
  const subscribed = await findSubscribedIds(db, actor.id)
  const ownerSubscribed =
    filters.ownerSubscribed && actor.botOwnerId !== null ? await findSubscribedIds(db, actor.botOwnerId) : null
  const defaultIds = await findDefaultChannelIds(db, actor.realmId)

  const matchesFilter = (channel: Channel) =>
    filters.all ||
    (filters.public && !channel.isPrivate && !isGuest(actor)) ||
    (filters.webPublic && channel.isWebPublic) ||
    (filters.subscribed && subscribed.has(channel.id)) ||
    (filters.default && defaultIds.has(channel.id)) ||
    (filters.readable && hasContentAccess(scope, actor, channel, subscribed.has(channel.id)))
  const isListed = (channel: Channel) =>
    (filters.archived || channel.archivedAt === null) &&
    ((ownerSubscribed?.has(channel.id) ?? false) ||
      (matchesFilter(channel) && hasMetadataAccess(scope, actor, channel, subscribed.has(channel.id))))
  const channels = (await findRealmChannels(db, actor.realmId)).filter(isListed)
  return channels.sort((one, other) => (one.name < other.name ? -1 : 1))
}
