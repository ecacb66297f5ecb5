import * as rules from '#rules/permissions.ts'
import { type GroupSetting, isInSetting, ruleScope, ruleUser } from '../store/membership.ts'
import type { Channel, Organization, Subscription } from '../store/organization.ts'

/** The parts of the organization that determine channel permissions. */
export type ChannelRules = Pick<
  Organization,
  | 'user_id'
  | 'is_admin'
  | 'is_guest'
  | 'realm_user_groups'
  | 'realm_can_add_subscribers_group'
  | 'realm_can_create_private_channel_group'
  | 'realm_can_create_public_channel_group'
  | 'realm_can_create_web_public_channel_group'
  | 'realm_enable_spectator_access'
>

/** Returns true if the setting includes the user. These settings never apply to guests. */
const isNamed = (scope: ChannelRules, setting: GroupSetting): boolean =>
  !scope.is_guest && isInSetting(scope.realm_user_groups, scope.user_id, setting)

/** Returns the channel in the form that the server's rules expect. */
const ruleChannel = (channel: Channel) => ({
  isPrivate: channel.invite_only,
  isWebPublic: channel.is_web_public,
  settings: channel,
})

/** Returns true if the user may read the channel. */
export const mayRead = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  rules.mayListMessages(ruleScope(scope), ruleUser(scope), ruleChannel(channel), isIn)

export const mayJoin = (scope: ChannelRules, channel: Channel): boolean =>
  rules.hasContentAccess(ruleScope(scope), ruleUser(scope), ruleChannel(channel), false)

export const mayAdminister = (scope: ChannelRules, channel: Channel): boolean =>
  rules.mayAdminister(ruleScope(scope), ruleUser(scope), ruleChannel(channel))

export const mayAddPeople = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  mayRead(scope, channel, isIn) &&
  rules.mayAddSubscribers(
    ruleScope(scope),
    ruleUser(scope),
    ruleChannel(channel),
    scope.realm_can_add_subscribers_group,
  )

export const mayRemovePeople = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  rules.mayRemoveSubscribers(ruleScope(scope), ruleUser(scope), ruleChannel(channel), isIn)

/** Returns the kinds of channels that the user may create. They may also change existing channels to these kinds. */
export const mayCreateChannels = (scope: ChannelRules): { web: boolean; public: boolean; private: boolean } => ({
  web: scope.realm_enable_spectator_access && isNamed(scope, scope.realm_can_create_web_public_channel_group),
  public: isNamed(scope, scope.realm_can_create_public_channel_group),
  private: isNamed(scope, scope.realm_can_create_private_channel_group),
})

/** Returns true if the user may change a permission that gives others access to the channel. */
export const mayOpenChannel = (scope: ChannelRules, channel: Channel, isIn: boolean): boolean =>
  mayAdminister(scope, channel) && (!channel.invite_only || mayRead(scope, channel, isIn))

export const mayMakeDefault = (scope: ChannelRules, channel: Pick<Channel, 'invite_only' | 'is_archived'>): boolean =>
  scope.is_admin && !channel.invite_only && !channel.is_archived

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

/** Returns the channels that are not archived, sorted by name, with pinned channels first. */
export function sortedChannels(subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions
    .filter((channel) => !channel.is_archived)
    .sort((one, other) => Number(other.pin_to_top) - Number(one.pin_to_top) || byName.compare(one.name, other.name))
}
