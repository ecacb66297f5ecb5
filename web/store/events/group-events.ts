import type { Organization } from '../organization.ts'

type Groups = Organization['realm_user_groups']
type Group = Groups[number]

/** The groups after a `user_group` event; null when it tells what this client does not know. */
export function groupsAfterEvent(groups: Groups, event: Readonly<Record<string, unknown>>): Groups | null {
  const { op, group, group_id: id, data } = event
  const userIds = (event['user_ids'] ?? []) as number[]
  const subgroupIds = (event['direct_subgroup_ids'] ?? []) as number[]
  const change = (how: (group: Group) => Partial<Group>) =>
    groups.map((one) => (one.id === id ? { ...one, ...how(one) } : one))
  switch (op) {
    case 'add':
      return [...groups, group as Group]
    case 'remove':
      return groups.filter((one) => one.id !== id)
    case 'update':
      return change(() => data as Partial<Group>)
    case 'add_members':
      return change(({ members }) => ({ members: [...new Set([...members, ...userIds])] }))
    case 'remove_members':
      return change(({ members }) => ({ members: members.filter((one) => !userIds.includes(one)) }))
    case 'add_subgroups':
      return change((one) => ({ direct_subgroup_ids: [...new Set([...one.direct_subgroup_ids, ...subgroupIds])] }))
    case 'remove_subgroups':
      return change((one) => ({
        direct_subgroup_ids: one.direct_subgroup_ids.filter((subgroup) => !subgroupIds.includes(subgroup)),
      }))
    default:
      return null
  }
}
