import type { Organization } from '../organization.ts'

type Groups = Organization['realm_user_groups']

/** A setting that says who may do a thing, as the server tells it: the id of a group, or people and groups. */
export type GroupSetting = Organization['realm_can_add_subscribers_group']

/** The ids of everybody who is in one of the groups, be it in a group inside of them; groups of that id need not be there. */
export function membersOf(groups: Groups, groupIds: readonly number[]): ReadonlySet<number> {
  const byId = new Map(groups.map((group) => [group.id, group]))
  const members = new Set<number>()
  const seen = new Set(groupIds)
  // A set that grows while it is walked is walked to its end.
  for (const id of seen) {
    const group = byId.get(id)
    for (const member of group?.members ?? []) members.add(member)
    for (const subgroupId of group?.direct_subgroup_ids ?? []) seen.add(subgroupId)
  }
  return members
}

/** Whether the person is among those whom the setting names. */
export function isInSetting(groups: Groups, userId: number, setting: GroupSetting): boolean {
  if (typeof setting === 'number') return membersOf(groups, [setting]).has(userId)
  return setting.direct_members.includes(userId) || membersOf(groups, setting.direct_subgroups).has(userId)
}
