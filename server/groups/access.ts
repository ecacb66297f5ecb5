import { insufficientPermission } from '../people/users/access.ts'
import { isGuest } from '../people/users/role.ts'
import type { Actor } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import { type Group, type GroupSettingName, groupSettingExclusions } from './group.ts'
import { hasPermission, isInSetting, type MembershipScope } from './membership.ts'
import { findRealmGroups, type RealmGroups } from './queries.ts'

export const invalidUserGroup = refusal('BAD_REQUEST', 400, 'Invalid user group')
export const userGroupDeactivated = refusal('BAD_REQUEST', 400, 'User group is deactivated.')

/** The actions on a group, and the settings that permit them. */
const grantedBy = {
  manage: ['can_manage_group'],
  addMembers: ['can_manage_group', 'can_add_members_group'],
  join: ['can_manage_group', 'can_add_members_group', 'can_join_group'],
  removeMembers: ['can_manage_group', 'can_remove_members_group'],
  leave: ['can_manage_group', 'can_remove_members_group', 'can_leave_group'],
} as const satisfies Record<string, readonly GroupSettingName[]>

export type GroupAction = keyof typeof grantedBy

/** Returns a group of the actor's organization. Deactivated groups are included. */
export async function requireGroup(db: Db, actor: Pick<Actor, 'realmId'>, id: number): Promise<Group> {
  return requireGroupIn(await findRealmGroups(db, actor.realmId), id)
}

export function requireGroupIn(groups: RealmGroups, id: number): Group {
  const group = groups.byId.get(id)
  if (group === undefined) throw invalidUserGroup()
  return group
}

/** Returns an active group, system groups included. */
export function requireActiveGroup(groups: RealmGroups, id: number): Group {
  const group = requireGroupIn(groups, id)
  if (group.deactivatedAt !== null) throw userGroupDeactivated()
  return group
}

/** Returns whether the actor may perform the action. System groups cannot be changed. */
export function mayChangeGroup(scope: MembershipScope, actor: Actor, group: Group, act: GroupAction): boolean {
  if (group.systemName !== null) return false
  if (hasPermission(scope, actor, 'can_manage_all_groups')) return true
  return grantedBy[act].some((name) => {
    const admitsGuests = !groupSettingExclusions[name].includes('role:everyone')
    return (admitsGuests || !isGuest(actor)) && isInSetting(scope, actor, group.settings[name])
  })
}

export function requireMayChangeGroup(scope: MembershipScope, actor: Actor, group: Group, act: GroupAction): void {
  if (!mayChangeGroup(scope, actor, group, act)) throw insufficientPermission()
}
