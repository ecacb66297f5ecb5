import type { Channel } from '#channels/channel.ts'
import { requireChannelName } from '#channels/channel-name.ts'
import { isViewerSubscribed, NO_CHANNEL_ID } from '#channels/own-subscription.ts'
import { findChannel, findChannelByName } from '#channels/queries.ts'
import { isSubscribed } from '#channels/subscription-status-queries.ts'
import { isInSetting, type MembershipScope } from '#groups/membership.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUser } from '#people/users/queries.ts'
import type { User } from '#people/users/user.ts'
import { hasMetadataAccess, mayListMessages } from '#rules/channel-rules.ts'
import type { Db } from '#storage/storage.ts'

export const noChannelNamed = refusal('STREAM_DOES_NOT_EXIST', 400, "Channel '{name}' does not exist", {
  field: 'to',
  extras: ({ name }: { name: string }) => ({ stream: name }),
})
export const noChannelWithId = refusal('STREAM_DOES_NOT_EXIST', 400, "Channel with ID '{id}' does not exist", {
  field: 'to',
  extras: ({ id }: { id: number }) => ({ stream_id: id }),
})
export const notAuthorizedToSend = refusal('BAD_REQUEST', 400, "Not authorized to send to channel '{name}'")
export const mayNotPost = refusal('BAD_REQUEST', 400, 'You do not have permission to post in this channel.')

/**
 * Returns the channel if the actor may send to it. Refuses a hidden channel like a missing one. Both cases run the same
 * queries.
 */
export async function requireSendableChannel(viewer: Viewer, target: number | string): Promise<Channel> {
  const { db, actor } = viewer
  const found =
    typeof target === 'number'
      ? await findChannel(db, actor.realmId, Number.isSafeInteger(target) ? target : 0)
      : await findChannelByName(db, actor.realmId, requireChannelName(target))
  const notFound = () =>
    typeof target === 'number' ? noChannelWithId({ id: target }) : noChannelNamed({ name: target })
  return requireMaySend(viewer, found, notFound)
}

/**
 * Returns the channel if the actor may send to it. Refuses with `notFound` if the channel is null or hidden from the
 * actor.
 */
export async function requireMaySend(viewer: Viewer, channel: Channel | null, notFound: () => Error): Promise<Channel> {
  const { db, actor } = viewer
  const scope = await viewer.scope()
  const [ownAccess, ownerAccess] = await findAccess(viewer, scope, channel)
  if (channel === null || (ownAccess === 'none' && ownerAccess === 'none')) throw notFound()
  if (channel.archivedAt !== null) throw notAuthorizedToSend({ name: channel.name })
  if (ownAccess !== 'content' && ownerAccess !== 'content') throw notAuthorizedToSend({ name: channel.name })
  if (!isInSetting(scope, actor, channel.settings.can_send_message_group)) {
    const owner = await findOwner(db, actor)
    if (owner === null || !isInSetting(scope, owner, channel.settings.can_send_message_group)) throw mayNotPost()
  }
  return channel
}

type Access = 'none' | 'metadata' | 'content'

/** Returns the access of the actor, and the access of the actor's owner. Bots may send where their owner may. */
async function findAccess(
  viewer: Viewer,
  scope: MembershipScope,
  channel: Channel | null,
): Promise<[ownAccess: Access, ownerAccess: Access]> {
  const { db, actor } = viewer
  const ownAccess = await findUserAccess(scope, actor, channel, (id) => isViewerSubscribed(viewer, id))
  if (ownAccess === 'content') return [ownAccess, 'none']
  const owner = await findOwner(db, actor)
  if (owner === null) return [ownAccess, 'none']
  return [ownAccess, await findUserAccess(scope, owner, channel, (id) => isSubscribed(db, owner.id, id))]
}

async function findUserAccess(
  scope: MembershipScope,
  user: User,
  channel: Channel | null,
  isSubscribedTo: (channelId: number) => Promise<boolean>,
): Promise<Access> {
  // With protected history, users other than subscribers would not receive their own messages, so only subscribers may
  // send.
  const isProtected = channel?.isPrivate && !channel.isHistoryShared
  if (channel !== null && !isProtected && mayListMessages(scope, user, channel, false)) return 'content'
  const isSubscriber = await isSubscribedTo(channel?.id ?? NO_CHANNEL_ID)
  if (channel === null) return 'none'
  if (isSubscriber) return 'content'
  return hasMetadataAccess(scope, user, channel, false) ? 'metadata' : 'none'
}

async function findOwner(db: Db, bot: User): Promise<User | null> {
  const owner = bot.botOwnerId === null ? null : await findUser(db, bot.botOwnerId)
  return owner === null || owner.deactivatedAt !== null ? null : owner
}
