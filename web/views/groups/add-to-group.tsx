import { useMutation } from '@tanstack/react-query'
import UserPlus from 'lucide-react/icons/user-plus'
import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { useKept } from '../../store/kept.ts'
import { type Group, knownOrganization, useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { toast } from '../../ui/toast.ts'
import { Picker } from '../channels/picker.tsx'
import { addressesOf, type Choice, idsOf, peopleOf } from '../channels/picks.ts'
import { membersOfPicked } from '../channels/subscribing.ts'
import { notInto } from './rights.ts'

const NOBODY: { picks: readonly Choice[] } = { picks: [] }

/** Adds people to a group, and other groups as parts of it. */
export function AddToGroup({ group }: { group: Group }): ReactNode {
  const organization = useOrganization()
  const { realm_user_groups } = organization
  const [{ picks }, keep, forget] = useKept(`groups.add.${group.id}`, () => NOBODY)
  const [complaint, setComplaint] = useState<string | null>(null)
  const present = useMemo(() => new Set(group.members), [group.members])
  const excluded = useMemo(() => notInto(realm_user_groups, group), [realm_user_groups, group])
  const { mutate, isPending, error, reset } = useMutation({
    async mutationFn() {
      const inChannels = await membersOfPicked(picks)
      const add = toAdd(group.id, picks, inChannels)
      if (add.add.length + add.add_subgroups.length > 0)
        await call('POST /user_groups/{user_group_id}/members', { user_group_id: group.id, ...add })
    },
    onSuccess() {
      forget()
      toast(`All of them are in ${group.name} now`)
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const strangers = addressesOf(picks)
    const found =
      strangers.length > 0
        ? `Take out who is nobody here: ${strangers.join(', ')}`
        : picks.length === 0
          ? 'Choose somebody first.'
          : null
    setComplaint(found)
    if (found === null) mutate()
  }

  return (
    <form className="card settings-card" aria-label="Add to the group" noValidate onSubmit={submit}>
      {error !== null && <ErrorNotice title="Nobody was added" trouble={toTrouble(error)} />}
      <Picker
        label="Add people and groups"
        description="Whoever comes into a group that you add is in this one, too; of a channel, those who are in it now. People are told by a message who added them."
        offered={{ groups: 'all', channels: true }}
        picks={picks}
        without={present}
        withoutGroups={excluded}
        onChange={(picks) => {
          keep({ picks })
          setComplaint(null)
          reset()
        }}
      />
      {complaint !== null && (
        <p className="field-error" role="alert">
          {complaint}
        </p>
      )}
      <div>
        <Button type="submit" isPending={isPending} icon={<UserPlus className="icon" aria-hidden="true" />}>
          Add them
        </Button>
      </div>
    </form>
  )
}

/** What the picks mean now, without whoever came into the group meanwhile: the server refuses those who are there. */
function toAdd(groupId: number, picks: readonly Choice[], inChannels: readonly number[]) {
  const organization = knownOrganization()
  const group = organization?.realm_user_groups.find(({ id }) => id === groupId)
  if (organization === undefined || group === undefined) return { add: [], add_subgroups: [] }
  const people = peopleOf(
    organization,
    picks.filter((pick) => !pick.startsWith('group:')),
    inChannels,
  )
  const there = new Set(organization.realm_user_groups.map(({ id }) => id))
  return {
    add: people.filter((id) => !group.members.includes(id)),
    add_subgroups: idsOf(picks, 'group').filter((id) => there.has(id) && !group.direct_subgroup_ids.includes(id)),
  }
}
