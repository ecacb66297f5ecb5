import { Role } from '#rules/role.ts'
import type { Organization } from './organization.ts'

type Groups = Organization['realm_user_groups']

/** A permission setting as the server returns it: the id of a group, or users and groups. */
export type GroupSetting = Organization['realm_can_add_subscribers_group']

/** Returns the ids of all members of the groups and their subgroups; unknown group ids are ignored. */
export function membersOf(groups: Groups, groupIds: readonly number[]): ReadonlySet<number> {
  const byId = new Map(groups.map((group) => [group.id, group]))
  const members = new Set<number>()
  const seen = new Set(groupIds)
  // The loop also reaches elements that are added to the set while it runs.
  for (const id of seen) {
    const group = byId.get(id)
    for (const member of group?.members ?? []) members.add(member)
    for (const subgroupId of group?.direct_subgroup_ids ?? []) seen.add(subgroupId)
  }
  return members
}

/** Returns true if the setting includes the user. */
export function isInSetting(groups: Groups, userId: number, setting: GroupSetting): boolean {
  if (typeof setting === 'number') return membersOf(groups, [setting]).has(userId)
  return setting.direct_members.includes(userId) || membersOf(groups, setting.direct_subgroups).has(userId)
}

type RuleUser = { id: number; role: number }

/** Returns the user in the form of the server's rules. A moderator counts as a member. */
export const ruleUser = (
  organization: Pick<Organization, 'user_id' | 'is_guest'> & { is_admin?: boolean },
): RuleUser => ({
  id: organization.user_id,
  role: organization.is_guest ? Role.guest : organization.is_admin === true ? Role.administrator : Role.member,
})

/** Returns the scope with which the server's rules check whether a permission setting includes a user. */
export const ruleScope = ({ realm_user_groups }: Pick<Organization, 'realm_user_groups'>) => ({
  includes: ({ id }: RuleUser, setting: GroupSetting): boolean => isInSetting(realm_user_groups, id, setting),
})
