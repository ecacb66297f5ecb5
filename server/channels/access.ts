import {
  type Candidate,
  findMembershipScope,
  hasPermissionIn,
  isInSetting,
  type MembershipScope,
} from '../groups/membership.ts'
import { isAdministrator, isGuest } from '../people/users/role.ts'
import type { Actor } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import type { Channel } from './channel.ts'
import { findChannel } from './queries.ts'
import { isSubscribed } from './subscription-status-queries.ts'

export const mayNotAdminister = refusal('BAD_REQUEST', 400, 'You do not have permission to administer this channel.')
export const invalidChannelId = refusal('BAD_REQUEST', 400, 'Invalid channel ID')

/**
 * Returns whether the channel lets the user read its messages. In a private channel with protected history, the user
 * must also have received the message. Administrators have no bypass.
 */
export function hasContentAccess(
  scope: MembershipScope,
  user: Candidate,
  channel: Channel,
  isSubscribed: boolean,
): boolean {
  if (isSubscribed) return true
  if (isGuest(user)) return false
  if (!channel.isPrivate) return true
  return (
    isInSetting(scope, user, channel.settings.can_add_subscribers_group) ||
    isInSetting(scope, user, channel.settings.can_subscribe_group)
  )
}

/** Returns whether the user may see that the channel exists: its name, description and subscribers. */
export function hasMetadataAccess(
  scope: MembershipScope,
  user: Candidate,
  channel: Channel,
  isSubscribed: boolean,
): boolean {
  if (channel.isWebPublic || isAdministrator(user)) return true
  return hasContentAccess(scope, user, channel, isSubscribed) || isChannelAdministrator(scope, user, channel)
}

/** Returns whether the user may change the channel's settings. */
export function mayAdminister(scope: MembershipScope, user: Candidate, channel: Channel): boolean {
  return isAdministrator(user) || isChannelAdministrator(scope, user, channel)
}

/** Returns whether the channel's own settings make the user one of its administrators. Guests never are. */
export function isChannelAdministrator(scope: MembershipScope, user: Candidate, channel: Channel): boolean {
  return !isGuest(user) && isInSetting(scope, user, channel.settings.can_administer_channel_group)
}

/**
 * Returns whether the actor may subscribe other users to a channel that the actor can read. `isDefault` matters for
 * invitations only: new users are subscribed to default channels anyway.
 */
export function mayAddSubscribers(scope: MembershipScope, actor: Actor, channel: Channel, isDefault: boolean): boolean {
  if (isDefault || mayAdminister(scope, actor, channel)) return true
  if (hasPermissionIn(scope, actor, 'can_add_subscribers_group')) return true
  return !isGuest(actor) && isInSetting(scope, actor, channel.settings.can_add_subscribers_group)
}

/**
 * Used instead of the id of a missing channel, so that a missing channel takes the same queries, and the same time, as
 * a hidden one.
 */
export const NO_CHANNEL_ID = 0

/**
 * Returns whether the actor may see the channel, also as a subscriber. False for null, after the same queries as for a
 * hidden channel.
 */
export async function maySeeChannel(db: Db, actor: Actor, channel: Channel | null, now: number): Promise<boolean> {
  const scope = await findMembershipScope(db, actor, now)
  if (channel !== null && hasMetadataAccess(scope, actor, channel, false)) return true
  return isSubscribed(db, actor.id, channel?.id ?? NO_CHANNEL_ID)
}

/** Returns the channel if the actor may see it. A hidden channel is refused exactly like a missing one. */
export async function requireChannel(db: Db, actor: Actor, id: number, now: number): Promise<Channel> {
  const channel = await findChannel(db, actor.realmId, id)
  const isKnown = await maySeeChannel(db, actor, channel, now)
  if (channel === null || !isKnown) throw invalidChannelId()
  return channel
}

/** Returns the channel if the actor may read its messages. Administrators have no bypass. */
export async function requireReadableChannel(db: Db, actor: Actor, id: number, now: number): Promise<Channel> {
  const channel = await findChannel(db, actor.realmId, id)
  const scope = await findMembershipScope(db, actor, now)
  if (channel !== null && hasContentAccess(scope, actor, channel, false)) return channel
  const isIn = await isSubscribed(db, actor.id, channel?.id ?? NO_CHANNEL_ID)
  if (channel === null || !isIn) throw invalidChannelId()
  return channel
}

/** Returns the channel if the actor may see it and change its settings. */
export async function requireAdministrableChannel(db: Db, actor: Actor, id: number, now: number): Promise<Channel> {
  const channel = await requireChannel(db, actor, id, now)
  if (!mayAdminister(await findMembershipScope(db, actor, now), actor, channel)) throw mayNotAdminister()
  return channel
}
