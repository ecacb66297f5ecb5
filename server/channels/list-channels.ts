import type { Viewer } from '#groups/viewer.ts'
import { hasMetadataAccess, isOpenTo, mayListMessages } from '#rules/permissions.ts'
import { findSubscribedIds } from './access.ts'
import type { Channel } from './channel.ts'
import { findDefaultChannelIds, findRealmChannels } from './queries.ts'

// Lists of channels by filters. A channel that the actor may not see is in no list, whatever the filters say.

/** The filters of a channel list. A channel is listed if at least one filter matches. */
type ChannelFilters = {
  public: boolean
  webPublic: boolean
  subscribed: boolean
  /** Includes archived channels if another filter matches them. */
  archived: boolean
  all: boolean
  default: boolean
  /** For bots: matches the channels to which the bot's owner is subscribed. */
  ownerSubscribed: boolean
  readable: boolean
}

/** Returns the channels that match a filter and that the actor may see, ordered by name. */
export async function findFilteredChannels(viewer: Viewer, filters: ChannelFilters): Promise<Channel[]> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const subscribed = await findSubscribedIds(db, actor.id)
  const ownerSubscribed =
    filters.ownerSubscribed && actor.botOwnerId !== null ? await findSubscribedIds(db, actor.botOwnerId) : null
  const defaultIds = await findDefaultChannelIds(db, actor.realmId)

  const matchesFilter = (channel: Channel) =>
    filters.all ||
    (filters.public && isOpenTo(actor, channel)) ||
    (filters.webPublic && channel.isWebPublic) ||
    (filters.subscribed && subscribed.has(channel.id)) ||
    (filters.default && defaultIds.has(channel.id)) ||
    (filters.readable && mayListMessages(scope, actor, channel, subscribed.has(channel.id)))
  const isListed = (channel: Channel) =>
    (filters.archived || channel.archivedAt === null) &&
    ((ownerSubscribed?.has(channel.id) ?? false) ||
      (matchesFilter(channel) && hasMetadataAccess(scope, actor, channel, subscribed.has(channel.id))))
  const channels = (await findRealmChannels(db, actor.realmId)).filter(isListed)
  return channels.sort((one, other) => (one.name < other.name ? -1 : 1))
}
