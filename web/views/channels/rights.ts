import type { Channel, Organization } from '../../store/organization.ts'
import { type GroupSetting, isInSetting } from '../../store/people/membership.ts'

/** What of the organization decides what one may do with its channels. */
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

/** Whether a setting that guests never have names oneself. */
const isNamed = (scope: ChannelRules, setting: GroupSetting): boolean =>
  !scope.is_guest && isInSetting(scope.realm_user_groups, scope.user_id, setting)

/** Whether one may read what is said in the channel, and so may be in it. */
export function mayRead(scope: ChannelRules, channel: Channel, isIn: boolean): boolean {
  if (isIn) return true
  if (scope.is_guest) return false
  if (!channel.invite_only) return true
  return isNamed(scope, channel.can_add_subscribers_group) || isNamed(scope, channel.can_subscribe_group)
}

export const mayJoin = (scope: ChannelRules, channel: Channel): boolean => mayRead(scope, channel, false)

/** Whether one may change what the channel is like. */
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

/** The kinds of channels that one may make, or make of others. */
export const mayCreateChannels = (scope: ChannelRules): { public: boolean; private: boolean } => ({
  public: isNamed(scope, scope.realm_can_create_public_channel_group),
  private: isNamed(scope, scope.realm_can_create_private_channel_group),
})

/** Whether one may change a permission of the channel by which others come to read it. */
export const mayOpenChannel = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  mayAdminister(scope, channel) && (!channel.invite_only || mayRead(scope, channel, isIn))

/** Whether newcomers to the organization may be put into the channel by oneself. */
export const mayMakeDefault = (scope: ChannelRules, channel: Pick<Channel, 'invite_only' | 'is_archived'>): boolean =>
  scope.is_admin && !channel.invite_only && !channel.is_archived
