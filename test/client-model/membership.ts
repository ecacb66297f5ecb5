import type { State } from './reducer.ts'

type Group = { id: number; name: string; is_system_group: boolean; members: number[]; direct_subgroup_ids: number[] }

type Setting = number | { direct_members: number[]; direct_subgroups: number[] }

/** Returns whether the user is in the group or, at any depth, in its subgroups. */
function isInGroup(state: State, userId: number, groupId: number, seen = new Set<number>()): boolean {
  if (seen.has(groupId)) return false
  seen.add(groupId)
  const group = (state['realm_user_groups'] as Group[]).find(({ id }) => id === groupId)
  if (group === undefined) return false
  return group.members.includes(userId) || group.direct_subgroup_ids.some((id) => isInGroup(state, userId, id, seen))
}

/** Returns whether a setting includes the user. */
export function isInSetting(state: State, userId: number, setting: Setting): boolean {
  if (typeof setting === 'number') return isInGroup(state, userId, setting)
  return setting.direct_members.includes(userId) || setting.direct_subgroups.some((id) => isInGroup(state, userId, id))
}

/** Returns whether a setting names the group of a role. */
export function isInRole(state: State, setting: Setting, role: string): boolean {
  const group = (state['realm_user_groups'] as Group[]).find(({ id }) => id === setting)
  return group?.is_system_group === true && group.name === `role:${role}`
}
