// Roles and types of bots, with their numbers in the API, and the rules that depend on nothing else. A lower number
// means more permissions. The web client applies the same functions.

/** The roles of accounts, with their numbers in the API. A lower number has more permissions. */
export const Role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const

export type Role = (typeof Role)[keyof typeof Role]

export const roles: readonly Role[] = Object.values(Role)

/**
 * The settings of an organization that decide who can join, who manages groups, how long messages and sessions
 * last, and who needs a second factor. Only owners can change them.
 */
export const OWNER_ONLY_SETTINGS = [
  'audit_log_retention_days',
  'authentication_methods',
  'can_create_groups',
  'can_invite_users_group',
  'can_manage_all_groups',
  'create_multiuse_invite_group',
  'disallow_disposable_email_addresses',
  'emails_restricted_to_domains',
  'invite_required',
  'message_retention_days',
  'second_factor_grace_days',
  'second_factor_required_for',
  'session_idle_minutes',
  'session_lifetime_minutes',
  'waiting_period_threshold',
] as const

/** The types of bots, with their numbers in the API. */
export const BotType = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const

/** The formats in which outgoing-webhook bots send messages, with their numbers in the API. */
export const ServiceInterface = { generic: 1, slack: 2 } as const

/** Returns the role with fewer permissions, which has the larger number. */
export const lowerRole = (one: Role, other: Role): Role => (one > other ? one : other)

/**
 * Returns the highest role that a bot may have. It is that of its owner, but at most member if the owner is not active.
 * Without an owner, it is member.
 */
export function botRoleLimit(owner: { role: Role; isActive: boolean } | null): Role {
  if (owner === null) return Role.member
  return owner.isActive ? owner.role : lowerRole(owner.role, Role.member)
}

export function isRole(number: number): number is Role {
  return (roles as readonly number[]).includes(number)
}

/** Returns true for administrators and owners. */
export function isAdministrator(user: { role: number }): boolean {
  return user.role <= Role.administrator
}

export function isOwner(user: { role: number }): boolean {
  return user.role === Role.owner
}

export function isGuest(user: { role: number }): boolean {
  return user.role === Role.guest
}

/** The people whom an organization can require to have a second factor. */
export const secondFactorRequirements = ['nobody', 'administrators', 'everyone'] as const

/** Returns whether the requirement holds for the person. Administrators include owners, and everyone includes guests. */
export const mustHaveSecondFactor = (user: RuleUser, required: (typeof secondFactorRequirements)[number]): boolean =>
  required === 'everyone' || (required === 'administrators' && isAdministrator(user))

/**
 * Decides which users a permission setting includes. The server and the web client hold users, groups and settings in
 * different forms, so each has its own scope for the same rules.
 */
export type PermissionScope<User, Setting> = { includes(user: User, setting: Setting): boolean }

/** The part of a user that rules need. */
export type RuleUser = { readonly role: number }

/** The part of an account that rules need. */
type RuleAccount = { readonly role: number; readonly isBot: boolean; readonly isActive: boolean }

/** Returns whether the account is an active owner and not a bot. An organization must keep at least one such owner. */
export const isActiveOwner = (account: RuleAccount): boolean =>
  account.role === Role.owner && !account.isBot && account.isActive

/**
 * Returns whether the actor may change accounts with this role and assign it. Only owners may do so for the owner role;
 * this rule does not restrict other roles.
 */
export const mayManageRole = (actor: RuleUser, role: number): boolean => role !== Role.owner || isOwner(actor)

/**
 * Returns whether a user may have bots of this type. `may` tells which bots the organization's settings let the user
 * create: all bots, or bots that can only send messages.
 */
export const mayHaveBotType = (botType: number, may: { createAny: boolean; createWriteOnly: boolean }): boolean =>
  may.createAny || (may.createWriteOnly && botType === BotType.incomingWebhook)
