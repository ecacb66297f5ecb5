import { ascending, byId, type Event, type Reducer, type State } from '../reducer.ts'

export const groupReducer: Reducer = {
  eventTypes: ['user_group'],
  apply(state, event) {
    const groups = state['realm_user_groups']
    if (event['op'] === 'add') groups.push(event['group'])
    else if (event['op'] === 'remove')
      state['realm_user_groups'] = groups.filter(({ id }: { id: number }) => id !== event['group_id'])
    else changeGroup(state, event)
  },
  normalize(state) {
    for (const group of state['realm_user_groups']) {
      group.members = group.members.toSorted(ascending)
      group.direct_subgroup_ids = group.direct_subgroup_ids.toSorted(ascending)
    }
    state['realm_user_groups'] = byId(state['realm_user_groups'], 'id')
  },
}

function changeGroup(state: State, { op, group_id, data, user_ids, direct_subgroup_ids }: Event): void {
  const group = state['realm_user_groups'].find(({ id }: { id: number }) => id === group_id)
  // Clients that do not know deactivated groups do not have them.
  if (group === undefined) return
  switch (op) {
    case 'update':
      Object.assign(group, data)
      break
    case 'add_members':
      group.members = [...new Set([...group.members, ...user_ids])]
      break
    case 'remove_members':
      group.members = group.members.filter((id: number) => !user_ids.includes(id))
      break
    case 'add_subgroups':
      group.direct_subgroup_ids.push(...direct_subgroup_ids)
      break
    case 'remove_subgroups':
      group.direct_subgroup_ids = group.direct_subgroup_ids.filter((id: number) => !direct_subgroup_ids.includes(id))
      break
    default:
      throw new Error(`There is no operation ${op} on groups`)
  }
}
