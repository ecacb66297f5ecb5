import { isAdministrator, isGuest, type PermissionScope, Role, type RuleUser } from './role.ts'

// The rules about who may see, read, change and join a channel, change a group and its members, and edit, move and
// delete a message. The web client applies the same functions to decide what it offers, so a change here changes both.
// They are pure: the caller brings the objects, the user and the permission scope, and turns a result into a refusal.

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

// Groups. System groups never change.

/** The actions on a group, and the settings that permit them. */
const grantedBy = {
  manage: ['can_manage_group'],
  addMembers: ['can_manage_group', 'can_add_members_group'],
  join: ['can_manage_group', 'can_add_members_group', 'can_join_group'],
  removeMembers: ['can_manage_group', 'can_remove_members_group'],
  leave: ['can_manage_group', 'can_remove_members_group', 'can_leave_group'],
} as const

export type GroupAction = keyof typeof grantedBy

type SettingName = (typeof grantedBy)[GroupAction][number]

/** The settings that may include guests. */
const admitsGuests: ReadonlySet<SettingName> = new Set(['can_leave_group'])

/** The part of a group that rules need. */
type RuleGroup<Setting> = {
  readonly isSystem: boolean
  readonly settings: Readonly<Record<SettingName, Setting>>
}

/**
 * Returns whether the user may perform the action. System groups cannot be changed. `manageAll` is the organization's
 * permission setting for managing every group.
 */
export function mayChangeGroup<User extends RuleUser, Setting>(
  scope: PermissionScope<User, Setting>,
  user: User,
  group: RuleGroup<Setting>,
  act: GroupAction,
  manageAll: Setting,
): boolean {
  if (group.isSystem) return false
  if (!isGuest(user) && scope.includes(user, manageAll)) return true
  return grantedBy[act].some(
    (name) => (admitsGuests.has(name) || !isGuest(user)) && scope.includes(user, group.settings[name]),
  )
}

// Messages. Times are in seconds.

/** A time limit of the organization in seconds; null for none. */
type Limit = number | null

/** The part of a message that rules need. Times are in UNIX seconds. */
type RuleMessage = { readonly senderId: number; readonly sentAt: number }

/** Returns whether the message is older than the limit allows. */
export const isPast = ({ sentAt }: Pick<RuleMessage, 'sentAt'>, limit: Limit, now: number): boolean =>
  limit !== null && now > sentAt + limit

/** Returns the reason why the user may not edit the message's content; null if they may. */
export function contentEditProblem(
  userId: number,
  message: RuleMessage,
  { isAllowed, limit }: { isAllowed: boolean; limit: Limit },
  now: number,
): 'not-sender' | 'disabled' | 'too-late' | null {
  if (message.senderId !== userId) return 'not-sender'
  if (!isAllowed) return 'disabled'
  return isPast(message, limit, now) ? 'too-late' : null
}

/**
 * Returns the reason why the user may not delete the message; null if they may. A message from a user's bot counts as
 * the user's own.
 */
export function deletionProblem(
  message: Pick<RuleMessage, 'sentAt'>,
  may: { isOwn: boolean; deletesAny: boolean; deletesOwn: boolean; limit: Limit },
  now: number,
): 'not-permitted' | 'too-late' | null {
  if (may.deletesAny) return null
  if (!may.isOwn || !may.deletesOwn) return 'not-permitted'
  return isPast(message, may.limit, now) ? 'too-late' : null
}

/** Returns whether the user may move messages out of the topic. Any user may move messages out of the empty topic. */
export const mayLeaveTopic = (topic: string, movesTopics: boolean): boolean => topic === '' || movesTopics

/**
 * Returns the maximum age, in seconds, of messages that the user may move; null for any age. Moderators and higher
 * roles may move messages of any age.
 */
export const moveLimitFor = (user: RuleUser, limit: Limit): Limit => (user.role <= Role.moderator ? null : limit)
