import { isGuest, type PermissionScope, type RuleUser } from './role.ts'

// The rules about who may change a group and its members. The web client applies the same functions to decide what it
// offers. System groups never change.

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
