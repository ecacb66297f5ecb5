import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { type Person, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people/role.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { RadioCards } from '../../ui/fields/radio-cards.tsx'
import { runAll } from '../invitations/run-all.ts'
import { mayGiveRole, rolesFor } from './accounts.ts'
import { Failures } from './failures.tsx'

/** Changes the role of accounts. Accounts that can't have the chosen role keep their current role. */
export function RoleDialog({ people, onClose }: { people: readonly Person[]; onClose: () => void }): ReactNode {
  const organization = useOrganization()
  const [roles] = useState(() => rolesFor(organization, people))
  const [role, choose] = useState<number | null>(null)
  const changing = role === null ? [] : people.filter((person) => mayGiveRole(organization, person, role))
  const {
    mutate,
    isPending,
    data: failures = [],
  } = useMutation({
    mutationFn: (given: number) =>
      runAll(changing, ({ user_id }) => call('PATCH /users/{user_id}', { user_id, role: given })),
    onSuccess(failures, given) {
      if (failures.length > 0) return
      showToast(
        people.length === 1
          ? t('{name}’s role is now {role}', { name: people[0]?.full_name ?? '', role: roleName(given) })
          : t('Roles changed'),
      )
      onClose()
    },
  })
  const title =
    people.length === 1
      ? t('Change role of {name}', { name: people[0]?.full_name ?? '' })
      : t('{count, plural, one {Change role of # account} other {Change role of # accounts}}', { count: people.length })
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <div className="dialog-body stack">
        <Failures failures={failures} />
        {people.length === 1 && <p>{t('Current role: {roleName}', { roleName: roleName(people[0]?.role ?? 0) })}</p>}
        <RadioCards
          label={t('New role')}
          value={role === null ? null : String(role)}
          onChange={(id) => choose(Number(id))}
          cards={roles.map(({ id, label, hint }) => ({ id: String(id), label, hint }))}
        />
        {people.length > 1 && role !== null && changing.length < people.length && (
          <p className="soft" role="status">
            {t('{value, plural, one {# account won’t change.} other {# accounts won’t change.}}', {
              value: people.length - changing.length,
            })}
          </p>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button
          kind="primary"
          isDisabled={changing.length === 0 && !isPending}
          isPending={isPending}
          onPress={() => role !== null && mutate(role)}
        >
          {t('Change')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
