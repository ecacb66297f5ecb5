import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { Failures, runAll } from '../forms/run-all.tsx'
import * as css from '../forms/settings.module.css'
import { type Person, useOrganization } from '../store/organization.ts'
import { roleName } from '../store/people.ts'
import { joinNames } from '../text/names.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { CheckboxField, RadioCards, TextField } from '../ui/field.tsx'
import { showToast } from '../ui/toasts.ts'
import { mayDeactivate, mayGiveRole, rolesFor } from './accounts.ts'

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

/** Asks before accounts are deactivated. Accounts that the user may not deactivate are left out. */
export function DeactivateAccountsDialog({
  people,
  onClose,
}: {
  people: readonly Person[]
  onClose: () => void
}): ReactNode {
  const organization = useOrganization()
  const [deactivated] = useState(() => people.filter((person) => mayDeactivate(organization, person)))
  const [isEmailSent, setEmailSent] = useState(false)
  const [comment, setComment] = useState('')
  const humans = deactivated.filter(({ is_bot }) => !is_bot)
  const {
    mutate,
    isPending,
    data: failures = [],
  } = useMutation({
    mutationFn: () => runAll(deactivated, (person) => deactivate(person, isEmailSent ? comment.trim() : null)),
    onSuccess(failures) {
      const count = deactivated.length - failures.length
      if (count > 0)
        showToast(
          count === 1 && deactivated.length === 1
            ? t('{name} deactivated', { name: deactivated[0]?.full_name ?? '' })
            : t('{count, plural, one {# account} other {# accounts}} deactivated', { count }),
        )
      if (failures.length === 0) onClose()
    },
  })
  const title =
    deactivated.length === 1
      ? t('Deactivate {name}?', { name: deactivated[0]?.full_name ?? '' })
      : t('{count, plural, one {Deactivate # account?} other {Deactivate # accounts?}}', { count: deactivated.length })
  return (
    <Dialog title={title} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body stack">
        <Failures failures={failures} />
        {deactivated.length > 1 && (
          <ul className={css.accountList}>
            {deactivated.map(({ user_id, full_name }) => (
              <li key={user_id}>{full_name}</li>
            ))}
          </ul>
        )}
        <Consequences deactivated={deactivated} excludedCount={people.length - deactivated.length} />
        {humans.length > 0 && (
          <CheckboxField isSelected={isEmailSent} onChange={setEmailSent}>
            {t('{count, plural, one {Notify them by email} other {Notify each of them by email}}', {
              count: humans.length,
            })}
          </CheckboxField>
        )}
        {humans.length > 0 && isEmailSent && (
          <TextField label={t('Comment in the email')} rows={3} value={comment} onChange={setComment} />
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Deactivate')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Explains what happens to the accounts and to the bots that they own. */
function Consequences(props: { deactivated: readonly Person[]; excludedCount: number }): ReactNode {
  const { deactivated, excludedCount } = props
  const { realm_users } = useOrganization('realm_users')
  const ids = new Set(deactivated.map(({ user_id }) => user_id))
  const bots = realm_users.filter(
    ({ bot_owner_id, user_id }) => bot_owner_id !== null && ids.has(bot_owner_id) && !ids.has(user_id),
  )
  return (
    <>
      {excludedCount > 0 && (
        <p className="soft">
          {t(
            '{count, plural, one {You can’t deactivate # of the selected accounts.} other {You can’t deactivate # of the selected accounts.}}',
            { count: excludedCount },
          )}
        </p>
      )}
      {deactivated.every(({ is_bot }) => is_bot) ? (
        <p>{t('Programs that use these accounts stop working.')}</p>
      ) : (
        <p>
          {bots.length === 0
            ? t('They are logged out everywhere and can no longer log in. Invitations they sent are revoked.')
            : t(
                'They are logged out everywhere and can no longer log in. Invitations they sent are revoked, and their bots are deactivated: {bots}.',
                { bots: joinNames(bots.map(({ full_name }) => full_name)) },
              )}
        </p>
      )}
      <p>
        {t(
          'Their messages stay, and administrators can reactivate {count, plural, one {the account} other {the accounts}} at any time.',
          { count: deactivated.length },
        )}
      </p>
    </>
  )
}

/** Deactivates an account. Users get an email with the comment, unless it is null. */
const deactivate = ({ user_id, is_bot }: Person, comment: string | null): Promise<unknown> =>
  is_bot
    ? call('DELETE /bots/{bot_id}', { bot_id: user_id })
    : call('DELETE /users/{user_id}', {
        user_id,
        ...(comment !== null && { deactivation_notification_comment: comment }),
      })
