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
 * Whether the user may read what is said in the channel, as far as the channel decides it: in a private channel with
 * protected history they must have received the message, too. Administrators have no bypass.
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

/** Whether the user may know of the channel: its name, its description, who is in it. */
export function hasMetadataAccess(
  scope: MembershipScope,
  user: Candidate,
  channel: Channel,
  isSubscribed: boolean,
): boolean {
  if (channel.isWebPublic || isAdministrator(user)) return true
  return hasContentAccess(scope, user, channel, isSubscribed) || isChannelAdministrator(scope, user, channel)
}

/** Whether the user may change the channel's settings. */
export function mayAdminister(scope: MembershipScope, user: Candidate, channel: Channel): boolean {
  return isAdministrator(user) || isChannelAdministrator(scope, user, channel)
}

/** Whether the channel's own settings make the user one of its administrators; guests never are. */
export function isChannelAdministrator(scope: MembershipScope, user: Candidate, channel: Channel): boolean {
  return !isGuest(user) && isInSetting(scope, user, channel.settings.can_administer_channel_group)
}

/**
 * Whether the actor may put other people into the channel, given that they can read it. `isDefault`: newcomers are put
 * into it anyway, which counts for inviting alone.
 */
export function mayAddSubscribers(scope: MembershipScope, actor: Actor, channel: Channel, isDefault: boolean): boolean {
  if (isDefault || mayAdminister(scope, actor, channel)) return true
  if (hasPermissionIn(scope, actor, 'can_add_subscribers_group')) return true
  return !isGuest(actor) && isInSetting(scope, actor, channel.settings.can_add_subscribers_group)
}

/** Stands for a channel that does not exist in a query that a hidden channel takes, so that both take the same time. */
export const NO_CHANNEL_ID = 0

/**
 * Whether the actor may know of the channel, be it as a subscriber; false for null, after the same queries as for a
 * channel that is hidden from the actor.
 */
export async function maySeeChannel(db: Db, actor: Actor, channel: Channel | null, now: number): Promise<boolean> {
  const scope = await findMembershipScope(db, actor, now)
  if (channel !== null && hasMetadataAccess(scope, actor, channel, false)) return true
  return isSubscribed(db, actor.id, channel?.id ?? NO_CHANNEL_ID)
}

/** The channel, if the actor may know of it. One they may not know of is refused exactly like one that does not exist. */
export async function requireChannel(db: Db, actor: Actor, id: number, now: number): Promise<Channel> {
  const channel = await findChannel(db, actor.realmId, id)
  const isKnown = await maySeeChannel(db, actor, channel, now)
  if (channel === null || !isKnown) throw invalidChannelId()
  return channel
}

/** The channel, if the actor may read what is said in it; administrators have no bypass. */
export async function requireReadableChannel(db: Db, actor: Actor, id: number, now: number): Promise<Channel> {
  const channel = await findChannel(db, actor.realmId, id)
  const scope = await findMembershipScope(db, actor, now)
  if (channel !== null && hasContentAccess(scope, actor, channel, false)) return channel
  const isIn = await isSubscribed(db, actor.id, channel?.id ?? NO_CHANNEL_ID)
  if (channel === null || !isIn) throw invalidChannelId()
  return channel
}

/** The channel, if the actor may know of it and change its settings. */
export async function requireAdministrableChannel(db: Db, actor: Actor, id: number, now: number): Promise<Channel> {
  const channel = await requireChannel(db, actor, id, now)
  if (!mayAdminister(await findMembershipScope(db, actor, now), actor, channel)) throw mayNotAdminister()
  return channel
}
