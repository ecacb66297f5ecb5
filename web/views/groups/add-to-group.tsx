import { type ReactNode, useMemo } from 'react'
import { call } from '../../api/call.ts'
import { currentOrganization, type Group, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { AddPicked } from '../picking/add-picked.tsx'
import { type PickerChoice, pickedIds, pickedPeople } from '../picking/picker-choices.ts'
import { excludedSubgroups } from './rights.ts'

/** Adds members and subgroups to a group. */
export function AddToGroup({ group }: { group: Group }): ReactNode {
  const { realm_user_groups } = useOrganization()
  const present = useMemo(() => new Set(group.members), [group.members])
  const excluded = useMemo(() => excludedSubgroups(realm_user_groups, group), [realm_user_groups, group])

  async function add(picks: readonly PickerChoice[], inChannels: readonly number[]): Promise<string> {
    const added = toAdd(group.id, picks, inChannels)
    if (added.add.length + added.add_subgroups.length > 0)
      await call('POST /user_groups/{user_group_id}/members', { user_group_id: group.id, ...added })
    return t('Everyone you picked is now in {name}', { name: group.name })
  }

  return (
    <AddPicked
      storageKey={`groups.add.${group.id}`}
      title={t('Add to group')}
      label={t('Add people and groups')}
      description={t(
        'Members of groups you add become members of this group, including those who join later. Adding a channel adds its current subscribers. People get a message saying who added them.',
      )}
      action={t('Add')}
      without={present}
      withoutGroups={excluded}
      add={add}
    />
  )
}

/**
 * Returns the picked users and groups. Leaves out any that have joined the group in the meantime, because the server
 * refuses to add existing members.
 */
function toAdd(groupId: number, picks: readonly PickerChoice[], inChannels: readonly number[]) {
  const organization = currentOrganization()
  const group = organization?.realm_user_groups.find(({ id }) => id === groupId)
  if (organization === undefined || group === undefined) return { add: [], add_subgroups: [] }
  const people = pickedPeople(
    organization,
    picks.filter((pick) => !pick.startsWith('group:')),
    inChannels,
  )
  const there = new Set(organization.realm_user_groups.map(({ id }) => id))
  return {
    add: people.filter((id) => !group.members.includes(id)),
    add_subgroups: pickedIds(picks, 'group').filter((id) => there.has(id) && !group.direct_subgroup_ids.includes(id)),
  }
}
