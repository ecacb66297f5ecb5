import { type GroupAction, mayChangeGroup } from '#rules/group-rules.ts'
import type { Group, Organization } from '../../store/organization.ts'
import { isInSetting, membersOf } from '../../store/people/membership.ts'
import { ruleScope, ruleUser } from '../../store/people/rule-scope.ts'

/** The parts of the organization that determine group permissions. */
export type GroupRules = Pick<
  Organization,
  'user_id' | 'is_guest' | 'realm_user_groups' | 'realm_can_create_groups' | 'realm_can_manage_all_groups'
>

export const mayCreateGroups = (scope: GroupRules): boolean =>
  !scope.is_guest && isInSetting(scope.realm_user_groups, scope.user_id, scope.realm_can_create_groups)

const may = (scope: GroupRules, group: Group, act: GroupAction): boolean =>
  mayChangeGroup(
    ruleScope(scope),
    ruleUser(scope),
    { isSystem: group.is_system_group, settings: group },
    act,
    scope.realm_can_manage_all_groups,
  )

/** Returns true if the user may administer the group. No one may change role-based groups. */
export const mayManage = (scope: GroupRules, group: Group): boolean => may(scope, group, 'manage')

export const mayAddTo = (scope: GroupRules, group: Group): boolean => may(scope, group, 'addMembers')

export const mayRemoveFrom = (scope: GroupRules, group: Group): boolean => may(scope, group, 'removeMembers')

export const mayJoinGroup = (scope: GroupRules, group: Group): boolean => may(scope, group, 'join')

/** Returns true if the user may leave the group. The setting may include guests. */
export const mayLeaveGroup = (scope: GroupRules, group: Group): boolean => may(scope, group, 'leave')

/**
 * Returns the ids of groups that can't become subgroups: the group itself, its subgroups, and the groups that contain
 * it.
 */
export function excludedSubgroups(groups: readonly Group[], group: Group): ReadonlySet<number> {
  const around = new Set([group.id])
  // The loop also reaches elements that are added to the set while it runs.
  for (const id of around) for (const other of groups) if (other.direct_subgroup_ids.includes(id)) around.add(other.id)
  return around.union(new Set(group.direct_subgroup_ids))
}

/** Returns the number of members, including the members of subgroups. */
export const sizeOf = (groups: Organization['realm_user_groups'], group: Group): number =>
  membersOf(groups, [group.id]).size
