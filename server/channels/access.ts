import type { MembershipScope } from '#groups/membership.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { insufficientPermission } from '#people/users/access.ts'
import type { Actor, User } from '#people/users/user.ts'
import * as rules from '#rules/channel-rules.ts'
import { hasMetadataAccess, mayAdminister, mayListMessages } from '#rules/channel-rules.ts'
import { isAdministrator, isGuest } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import type { Channel } from './channel.ts'
import { findDefaultChannelIds } from './default-channel-queries.ts'
import { isViewerSubscribed, NO_CHANNEL_ID } from './own-subscription.ts'
import { type Privacy, webPublicNotEnabled } from './privacy.ts'
import { findChannel } from './queries.ts'

export const mayNotAdminister = refusal('BAD_REQUEST', 400, 'You do not have permission to administer this channel.')
export const invalidChannelId = refusal('BAD_REQUEST', 400, 'Invalid channel ID')

/** Refuses unless the actor may create default channels, to which all new users are subscribed. */
export function requireMayCreateDefaultChannel(actor: Actor): void {
  if (!isAdministrator(actor)) throw insufficientPermission()
}

/** Refuses if the organization does not let the actor create channels with this privacy. Owners have no bypass. */
export async function requireMaySetPrivacy(viewer: Viewer, privacy: Privacy): Promise<void> {
  const { actor } = viewer
  if (privacy.isWebPublic && !actor.realm.settings.enable_spectator_access) throw webPublicNotEnabled()
  const permission = privacy.isWebPublic
    ? 'can_create_web_public_channel_group'
    : privacy.isPrivate
      ? 'can_create_private_channel_group'
      : 'can_create_public_channel_group'
  if (!(await viewer.has(permission))) throw insufficientPermission()
}

/** Returns the ids of the default channels that the user may know about, in ascending order; none for guests. */
export async function findShownDefaultChannelIds(db: Db, user: User): Promise<number[]> {
  if (isGuest(user)) return []
  return [...(await findDefaultChannelIds(db, user.realmId))].sort((one, other) => one - other)
}

/**
 * Returns whether the actor may subscribe other users to a channel that the actor can read. `isDefault` is only true
 * for default channels of an invitation: new users are subscribed to them anyway.
 */
export function mayAddSubscribers(scope: MembershipScope, actor: Actor, channel: Channel, isDefault: boolean): boolean {
  const { can_add_subscribers_group } = actor.realm.settings
  return isDefault || rules.mayAddSubscribers(scope, actor, channel, can_add_subscribers_group)
}

/**
 * Returns whether the viewer may see the channel, if only as a subscriber. For null, it makes the same queries as for a
 * hidden channel and returns false.
 */
export async function maySeeChannel(viewer: Viewer, channel: Channel | null): Promise<boolean> {
  const scope = await viewer.scope()
  if (channel !== null && hasMetadataAccess(scope, viewer.actor, channel, false)) return true
  return isViewerSubscribed(viewer, channel?.id ?? NO_CHANNEL_ID)
}

/** Returns the channel if the viewer may see it. Refuses a hidden channel exactly like a missing one. */
export async function requireChannel(viewer: Viewer, id: number): Promise<Channel> {
  const channel = await findChannel(viewer.db, viewer.actor.realmId, id)
  const isKnown = await maySeeChannel(viewer, channel)
  if (channel === null || !isKnown) throw invalidChannelId()
  return channel
}

/** Returns the channel if the viewer may list its messages. Administrators have no bypass. */
export async function requireReadableChannel(viewer: Viewer, id: number): Promise<Channel> {
  const channel = await findChannel(viewer.db, viewer.actor.realmId, id)
  const scope = await viewer.scope()
  if (channel !== null && mayListMessages(scope, viewer.actor, channel, false)) return channel
  const isIn = await isViewerSubscribed(viewer, channel?.id ?? NO_CHANNEL_ID)
  if (channel === null || !isIn) throw invalidChannelId()
  return channel
}

/** Returns the channel if the viewer may see it and change its settings. */
export async function requireAdministrableChannel(viewer: Viewer, id: number): Promise<Channel> {
  const channel = await requireChannel(viewer, id)
  if (!mayAdminister(await viewer.scope(), viewer.actor, channel)) throw mayNotAdminister()
  return channel
}
