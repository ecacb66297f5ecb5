import { hasContentAccess, hasMetadataAccess, NO_CHANNEL_ID } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { requireChannelName } from '../../channels/channel-name.ts'
import { findChannel, findChannelByName } from '../../channels/queries.ts'
import { isSubscribed } from '../../channels/subscription-status-queries.ts'
import { findMembershipScope, isInSetting, type MembershipScope } from '../../groups/membership.ts'
import { findUser } from '../../people/users/queries.ts'
import type { Actor, User } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db } from '../../platform/storage/storage.ts'

export const noChannelOfName = refusal(
  'STREAM_DOES_NOT_EXIST',
  400,
  "Channel '{name}' does not exist",
  ({ name }: { name: string }) => ({ stream: name }),
)
export const noChannelOfId = refusal(
  'STREAM_DOES_NOT_EXIST',
  400,
  "Channel with ID '{id}' does not exist",
  ({ id }: { id: number }) => ({ stream_id: id }),
)
export const notAuthorizedToSend = refusal('BAD_REQUEST', 400, "Not authorized to send to channel '{name}'")
export const mayNotPost = refusal('BAD_REQUEST', 400, 'You do not have permission to post in this channel.')

/**
 * The channel, if the actor may write in it. One they may not know of is refused like one that does not exist, after the
 * same queries.
 */
export async function requireSendableChannel(
  db: Db,
  actor: Actor,
  target: number | string,
  now: number,
): Promise<Channel> {
  const found =
    typeof target === 'number'
      ? await findChannel(db, actor.realmId, Number.isSafeInteger(target) ? target : 0)
      : await findChannelByName(db, actor.realmId, requireChannelName(target))
  const unknown = () => (typeof target === 'number' ? noChannelOfId({ id: target }) : noChannelOfName({ name: target }))
  return requireMaySend(db, actor, found, now, unknown)
}

/** The channel, which is null where it does not exist; what the actor may not know of is refused with `unknown`. */
export async function requireMaySend(
  db: Db,
  actor: Actor,
  channel: Channel | null,
  now: number,
  unknown: () => Error,
): Promise<Channel> {
  const scope = await findMembershipScope(db, actor, now)
  const [own, owners] = await findAccess(db, scope, actor, channel)
  if (channel === null || (own === 'none' && owners === 'none')) throw unknown()
  if (channel.archivedAt !== null) throw notAuthorizedToSend({ name: channel.name })
  if (own !== 'content' && owners !== 'content') throw notAuthorizedToSend({ name: channel.name })
  if (!isInSetting(scope, actor, channel.settings.can_send_message_group)) {
    const owner = await findOwner(db, actor)
    if (owner === null || !isInSetting(scope, owner, channel.settings.can_send_message_group)) throw mayNotPost()
  }
  return channel
}

type Access = 'none' | 'metadata' | 'content'

/** What the actor has of the channel, and what their owner has: bots may write where their owners may. */
async function findAccess(
  db: Db,
  scope: MembershipScope,
  actor: Actor,
  channel: Channel | null,
): Promise<[own: Access, owners: Access]> {
  const own = await findOwnAccess(db, scope, actor, channel)
  if (own === 'content') return [own, 'none']
  const owner = await findOwner(db, actor)
  return [own, owner === null ? 'none' : await findOwnAccess(db, scope, owner, channel)]
}

async function findOwnAccess(db: Db, scope: MembershipScope, user: User, channel: Channel | null): Promise<Access> {
  // Where history is protected only subscribers receive what they write, so that only they write.
  const isProtected = channel?.isPrivate && !channel.isHistoryShared
  if (channel !== null && !isProtected && hasContentAccess(scope, user, channel, false)) return 'content'
  const isIn = await isSubscribed(db, user.id, channel?.id ?? NO_CHANNEL_ID)
  if (channel === null) return 'none'
  if (isIn) return 'content'
  return hasMetadataAccess(scope, user, channel, false) ? 'metadata' : 'none'
}

async function findOwner(db: Db, bot: User): Promise<User | null> {
  const owner = bot.botOwnerId === null ? null : await findUser(db, bot.botOwnerId)
  return owner === null || owner.deactivatedAt !== null ? null : owner
}
