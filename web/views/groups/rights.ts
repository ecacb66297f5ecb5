import type { Group, Organization } from '../../store/organization.ts'
import { type GroupSetting, isInSetting, membersOf } from '../../store/people/membership.ts'

/** What of the organization decides what one may do with its groups. */
export type GroupRules = Pick<
  Organization,
  'user_id' | 'is_guest' | 'realm_user_groups' | 'realm_can_create_groups' | 'realm_can_manage_all_groups'
>

const names = (scope: GroupRules, setting: GroupSetting): boolean =>
  isInSetting(scope.realm_user_groups, scope.user_id, setting)

/** Whether a setting that guests never have names oneself. */
const isGranted = (scope: GroupRules, setting: GroupSetting): boolean => !scope.is_guest && names(scope, setting)

export const mayCreateGroups = (scope: GroupRules): boolean => isGranted(scope, scope.realm_can_create_groups)

/** Whether one may change the group: those that follow from roles nobody may. */
export const mayManage = (scope: GroupRules, group: Group): boolean =>
  !group.is_system_group &&
  (isGranted(scope, scope.realm_can_manage_all_groups) || isGranted(scope, group.can_manage_group))

export const mayAddTo = (scope: GroupRules, group: Group): boolean =>
  mayManage(scope, group) || (!group.is_system_group && isGranted(scope, group.can_add_members_group))

export const mayRemoveFrom = (scope: GroupRules, group: Group): boolean =>
  mayManage(scope, group) || (!group.is_system_group && isGranted(scope, group.can_remove_members_group))

export const mayJoinGroup = (scope: GroupRules, group: Group): boolean =>
  mayAddTo(scope, group) || (!group.is_system_group && isGranted(scope, group.can_join_group))

/** Guests may be let leave, too. */
export const mayLeaveGroup = (scope: GroupRules, group: Group): boolean =>
  mayRemoveFrom(scope, group) || (!group.is_system_group && names(scope, group.can_leave_group))

/** The ids of the groups that cannot be put into the group: itself, those in it, and those that it is in itself. */
export function excludedSubgroups(groups: readonly Group[], group: Group): ReadonlySet<number> {
  const around = new Set([group.id])
  // A set that grows while it is walked is walked to its end.
  for (const id of around) for (const other of groups) if (other.direct_subgroup_ids.includes(id)) around.add(other.id)
  return around.union(new Set(group.direct_subgroup_ids))
}

/** How many people the group means, those of its subgroups included. */
export const sizeOf = (groups: Organization['realm_user_groups'], group: Group): number =>
  membersOf(groups, [group.id]).size
