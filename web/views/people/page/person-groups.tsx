import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { type Group, type Person, useOrganization } from '../../../store/organization.ts'
import { membersOf } from '../../../store/people/membership.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { ComboField } from '../../../ui/fields/combo-field.tsx'
import { mayAddTo, mayRemoveFrom } from '../../groups/rights.ts'

/** The groups of a user. Viewers with permission can add the user to groups, and remove the user from groups. */
export function PersonGroups({ person }: { person: Person }): ReactNode {
  const organization = useOrganization()
  const { realm_user_groups } = organization
  const own = realm_user_groups.filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
  const isIn = ({ id }: Group) => membersOf(realm_user_groups, [id]).has(person.user_id)
  const offered = person.is_active
    ? own.filter((group) => !group.members.includes(person.user_id) && mayAddTo(organization, group))
    : []
  const groups = own.filter(isIn)
  const { mutate, variables, isPending } = useMembershipChange(person)
  if (groups.length === 0 && offered.length === 0) return null
  return (
    <section className="person-section" aria-labelledby="person-groups">
      <h2 id="person-groups">{t('Groups')}</h2>
      {groups.length === 0 && <p className="soft">{t('Not in any group.')}</p>}
      <ul className="person-list">
        {groups.map((group) => (
          <li key={group.id}>
            <Link to="/organization/$section" params={{ section: 'groups' }} search={{ group: group.id }}>
              {group.name}
            </Link>
            {group.members.includes(person.user_id) && mayRemoveFrom(organization, group) && (
              <Button
                kind="quiet"
                aria-label={t('Remove from {name}', { name: group.name })}
                icon={<X className="icon" aria-hidden="true" />}
                isPending={isPending && variables.group.id === group.id}
                onPress={() => mutate({ group, isAdded: false })}
              />
            )}
          </li>
        ))}
      </ul>
      {offered.length > 0 && (
        <ComboField
          key={offered.length}
          label={t('Add to a group')}
          value={null}
          opensOnFocus
          options={offered.map(({ id, name }) => ({ id, label: name }))}
          onChoose={(id) => {
            const group = offered.find((one) => one.id === id)
            if (group !== undefined) mutate({ group, isAdded: true })
          }}
        />
      )}
    </section>
  )
}

type Change = { group: Group; isAdded: boolean }

/** Adds the user to a group, or removes the user from it. A toast offers to undo the change. */
function useMembershipChange({ user_id, full_name }: Person) {
  const change = ({ group: { id: user_group_id }, isAdded }: Change) =>
    call('POST /user_groups/{user_group_id}/members', {
      user_group_id,
      ...(isAdded ? { add: [user_id] } : { delete: [user_id] }),
    })
  const showError = (error: Error) => showToast(toAppError(error).message, { kind: 'error' })
  return useMutation({
    mutationFn: change,
    onSuccess: (_, { group, isAdded }) =>
      showToast(
        isAdded
          ? t('{who} added to {group}', { who: full_name, group: group.name })
          : t('{who} removed from {group}', { who: full_name, group: group.name }),
        { undo: () => void change({ group, isAdded: !isAdded }).catch(showError) },
      ),
    onError: showError,
  })
}
