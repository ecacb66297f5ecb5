import type { Group, Organization } from '../../store/organization.ts'
import { type GroupSetting, isInSetting, membersOf } from '../../store/people/membership.ts'

/** The parts of the organization that decide about group permissions. */
export type GroupRules = Pick<
  Organization,
  'user_id' | 'is_guest' | 'realm_user_groups' | 'realm_can_create_groups' | 'realm_can_manage_all_groups'
>

const names = (scope: GroupRules, setting: GroupSetting): boolean =>
  isInSetting(scope.realm_user_groups, scope.user_id, setting)

/** Returns true if a setting, which never applies to guests, includes the user. */
const isGranted = (scope: GroupRules, setting: GroupSetting): boolean => !scope.is_guest && names(scope, setting)

export const mayCreateGroups = (scope: GroupRules): boolean => isGranted(scope, scope.realm_can_create_groups)

/** Returns true if the user may administer the group. No one may change role-based groups. */
export const mayManage = (scope: GroupRules, group: Group): boolean =>
  !group.is_system_group &&
  (isGranted(scope, scope.realm_can_manage_all_groups) || isGranted(scope, group.can_manage_group))

export const mayAddTo = (scope: GroupRules, group: Group): boolean =>
  mayManage(scope, group) || (!group.is_system_group && isGranted(scope, group.can_add_members_group))

export const mayRemoveFrom = (scope: GroupRules, group: Group): boolean =>
  mayManage(scope, group) || (!group.is_system_group && isGranted(scope, group.can_remove_members_group))

export const mayJoinGroup = (scope: GroupRules, group: Group): boolean =>
  mayAddTo(scope, group) || (!group.is_system_group && isGranted(scope, group.can_join_group))

/** The setting may allow guests to leave. */
export const mayLeaveGroup = (scope: GroupRules, group: Group): boolean =>
  mayRemoveFrom(scope, group) || (!group.is_system_group && names(scope, group.can_leave_group))

/** Returns the ids of groups that can't become subgroups: the group itself, its subgroups, and the groups that contain it. */
export function excludedSubgroups(groups: readonly Group[], group: Group): ReadonlySet<number> {
  const around = new Set([group.id])
  // Iteration over a set includes elements that are added meanwhile.
  for (const id of around) for (const other of groups) if (other.direct_subgroup_ids.includes(id)) around.add(other.id)
  return around.union(new Set(group.direct_subgroup_ids))
}

/** Returns the number of members, including those of subgroups. */
export const sizeOf = (groups: Organization['realm_user_groups'], group: Group): number =>
  membersOf(groups, [group.id]).size
