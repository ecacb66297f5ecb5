import type { Organization } from '../organization.ts'
import type { EventOf } from './event.ts'

type Groups = Organization['realm_user_groups']
type Group = Groups[number]

/** Returns the groups after an event; null when the client does not know its `op`. */
export function groupsAfterEvent(groups: Groups, event: EventOf<'user_group'>): Groups | null {
  const withChange = (id: number, change: (group: Group) => Partial<Group>) =>
    groups.map((group) => (group.id === id ? { ...group, ...change(group) } : group))
  switch (event.op) {
    case 'add':
      return [...groups, event.group]
    case 'remove':
      return groups.filter(({ id }) => id !== event.group_id)
    case 'update':
      return withChange(event.group_id, () => event.data)
    case 'add_members':
      return withChange(event.group_id, ({ members }) => ({ members: union(members, event.user_ids) }))
    case 'remove_members':
      return withChange(event.group_id, ({ members }) => ({ members: difference(members, event.user_ids) }))
    case 'add_subgroups':
      return withChange(event.group_id, ({ direct_subgroup_ids: ids }) => ({
        direct_subgroup_ids: union(ids, event.direct_subgroup_ids),
      }))
    case 'remove_subgroups':
      return withChange(event.group_id, ({ direct_subgroup_ids: ids }) => ({
        direct_subgroup_ids: difference(ids, event.direct_subgroup_ids),
      }))
    default:
      return unknownOp(event)
  }
}

const union = (ids: readonly number[], added: readonly number[]) => [...new Set([...ids, ...added])]

const difference = (ids: readonly number[], removed: readonly number[]) => ids.filter((id) => !removed.includes(id))

/** Returns null for an unknown `op`. A newer server may send one. */
export const unknownOp = (_: never): null => null
