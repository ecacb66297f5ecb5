import { isAdministrator, isGuest, type PermissionScope, type RuleUser } from './role.ts'

// The rules about who may see, read, change and join a channel. The web client applies the same functions to decide
// what it offers, so a change here changes both. They are pure: the caller brings the channel, the user and the
// permission scope.

type Readable<Setting> = {
  readonly isPrivate: boolean
  readonly settings: { readonly can_add_subscribers_group: Setting; readonly can_subscribe_group: Setting }
}

type Administrable<Setting> = { readonly settings: { readonly can_administer_channel_group: Setting } }

type Removable<Setting> = { readonly settings: { readonly can_remove_subscribers_group: Setting } }

/** The part of a channel that rules need. */
type RuleChannel<Setting> = Readable<Setting> & Administrable<Setting> & { readonly isWebPublic: boolean }

/**
 * Returns whether the channel lets the user read its messages. In a private channel with protected history, the user
 * must also have received the message. Administrators have no bypass.
 */
export function hasContentAccess<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: Readable<Setting>,
  isSubscribed: boolean,
): boolean {
  if (isSubscribed || isOpenTo(user, channel)) return true
  return (
    !isGuest(user) &&
    (scope.includes(user, channel.settings.can_add_subscribers_group) ||
      scope.includes(user, channel.settings.can_subscribe_group))
  )
}

/**
 * Returns whether the user may list the channel's messages and topics, and send to it. Web-public channels let guests
 * do that without a subscription; other actions on their messages, and joining, need `hasContentAccess`.
 */
export function mayListMessages<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: Readable<Setting> & { readonly isWebPublic: boolean },
  isSubscribed: boolean,
): boolean {
  return channel.isWebPublic || hasContentAccess(scope, user, channel, isSubscribed)
}

/** Returns whether the user may read the channel without a subscription or a permission. */
export const isOpenTo = (user: RuleUser, channel: { readonly isPrivate: boolean }): boolean =>
  !channel.isPrivate && !isGuest(user)

/** Returns whether the user may see that the channel exists: its name, description and subscribers. */
export function hasMetadataAccess<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: RuleChannel<Setting>,
  isSubscribed: boolean,
): boolean {
  if (channel.isWebPublic || isAdministrator(user)) return true
  return hasContentAccess(scope, user, channel, isSubscribed) || isChannelAdministrator(scope, user, channel)
}

/** Returns whether the user may change the channel's settings. */
export function mayAdminister<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: Administrable<Setting>,
): boolean {
  return isAdministrator(user) || isChannelAdministrator(scope, user, channel)
}

/** Returns whether the channel's own settings make the user one of its administrators. Guests never are. */
export function isChannelAdministrator<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: Administrable<Setting>,
): boolean {
  return !isGuest(user) && scope.includes(user, channel.settings.can_administer_channel_group)
}

/**
 * Returns whether the user may subscribe others to a channel that the user can read. `organizationSetting` is the
 * permission setting that applies to every channel.
 */
export function mayAddSubscribers<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: Readable<Setting> & Administrable<Setting>,
  organizationSetting: Setting,
): boolean {
  if (mayAdminister(scope, user, channel)) return true
  if (isGuest(user)) return false
  return scope.includes(user, organizationSetting) || scope.includes(user, channel.settings.can_add_subscribers_group)
}

/** Returns whether the user may unsubscribe others from the channel. Guests never may. */
export function mayRemoveSubscribers<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: RuleChannel<Setting> & Removable<Setting>,
  isSubscribed: boolean,
): boolean {
  return mayAdminister(scope, user, channel) || isRemover(scope, user, channel, isSubscribed)
}

/** Returns whether the channel's setting for unsubscribing others includes the user. */
export function isRemover<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  channel: RuleChannel<Setting> & Removable<Setting>,
  isSubscribed: boolean,
): boolean {
  if (isGuest(user) || !hasMetadataAccess(scope, user, channel, isSubscribed)) return false
  return scope.includes(user, channel.settings.can_remove_subscribers_group)
}
