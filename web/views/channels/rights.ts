import type { Channel, Organization } from '../../store/organization.ts'
import { type GroupSetting, isInSetting } from '../../store/people/membership.ts'

/** The parts of the organization that decide about channel permissions. */
export type ChannelRules = Pick<
  Organization,
  | 'user_id'
  | 'is_admin'
  | 'is_guest'
  | 'realm_user_groups'
  | 'realm_can_add_subscribers_group'
  | 'realm_can_create_private_channel_group'
  | 'realm_can_create_public_channel_group'
>

/** Returns true if a setting, which never applies to guests, includes the user. */
const isNamed = (scope: ChannelRules, setting: GroupSetting): boolean =>
  !scope.is_guest && isInSetting(scope.realm_user_groups, scope.user_id, setting)

/** Returns true if the user may read the channel, and therefore subscribe to it. */
export function mayRead(scope: ChannelRules, channel: Channel, isIn: boolean): boolean {
  if (isIn) return true
  if (scope.is_guest) return false
  if (!channel.invite_only) return true
  return isNamed(scope, channel.can_add_subscribers_group) || isNamed(scope, channel.can_subscribe_group)
}

export const mayJoin = (scope: ChannelRules, channel: Channel): boolean => mayRead(scope, channel, false)

/** Returns true if the user may administer the channel. */
export const mayAdminister = (scope: ChannelRules, channel: Channel): boolean =>
  scope.is_admin || isNamed(scope, channel.can_administer_channel_group)

export const mayAddPeople = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  !scope.is_guest &&
  mayRead(scope, channel, isIn) &&
  (mayAdminister(scope, channel) ||
    isNamed(scope, scope.realm_can_add_subscribers_group) ||
    isNamed(scope, channel.can_add_subscribers_group))

export const mayRemovePeople = (scope: ChannelRules, channel: Channel): boolean =>
  mayAdminister(scope, channel) || isNamed(scope, channel.can_remove_subscribers_group)

/** Returns the kinds of channels that the user may create, or change others into. */
export const mayCreateChannels = (scope: ChannelRules): { public: boolean; private: boolean } => ({
  public: isNamed(scope, scope.realm_can_create_public_channel_group),
  private: isNamed(scope, scope.realm_can_create_private_channel_group),
})

/** Returns true if the user may change a permission that gives others access to the channel. */
export const mayOpenChannel = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  mayAdminister(scope, channel) && (!channel.invite_only || mayRead(scope, channel, isIn))

/** Returns true if the user may make it a default channel. */
export const mayMakeDefault = (scope: ChannelRules, channel: Pick<Channel, 'invite_only' | 'is_archived'>): boolean =>
  scope.is_admin && !channel.invite_only && !channel.is_archived
