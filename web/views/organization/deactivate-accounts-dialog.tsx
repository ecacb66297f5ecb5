import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { type Person, useOrganization } from '../../store/organization.ts'
import { joinNames } from '../../text/join-names.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import { runAll } from '../invitations/run-all.ts'
import { mayDeactivate } from './accounts.ts'
import { Failures } from './failures.tsx'

/** Confirms that accounts are deactivated, without those that the user may not deactivate. */
export function DeactivateAccountsDialog({
  people,
  onClose,
}: {
  people: readonly Person[]
  onClose: () => void
}): ReactNode {
  const organization = useOrganization()
  const [ending] = useState(() => people.filter((person) => mayDeactivate(organization, person)))
  const [tells, tell] = useState(false)
  const ids = new Set(ending.map(({ user_id }) => user_id))
  const bots = organization.realm_users.filter(
    ({ bot_owner_id, user_id }) => bot_owner_id !== null && ids.has(bot_owner_id) && !ids.has(user_id),
  )
  const humans = ending.filter(({ is_bot }) => !is_bot)
  const {
    mutate,
    isPending,
    data: failures = [],
  } = useMutation({
    mutationFn: () => runAll(ending, (person) => end(person, tells)),
    onSuccess(failures) {
      const count = ending.length - failures.length
      if (count > 0)
        showToast(
          count === 1 && ending.length === 1
            ? t('{name} deactivated', { name: ending[0]?.full_name ?? '' })
            : t('{count, plural, one {# account} other {# accounts}} deactivated', { count }),
        )
      if (failures.length === 0) onClose()
    },
  })
  const title =
    ending.length === 1
      ? t('Deactivate {name}?', { name: ending[0]?.full_name ?? '' })
      : t('{count, plural, one {Deactivate # account?} other {Deactivate # accounts?}}', { count: ending.length })
  return (
    <Dialog title={title} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body stack">
        <Failures failures={failures} />
        {ending.length > 1 && (
          <ul className="account-list">
            {ending.map(({ user_id, full_name }) => (
              <li key={user_id}>{full_name}</li>
            ))}
          </ul>
        )}
        {ending.length < people.length && (
          <p className="soft">
            {t(
              '{count, plural, one {You can’t deactivate # of the selected accounts.} other {You can’t deactivate # of the selected accounts.}}',
              { count: people.length - ending.length },
            )}
          </p>
        )}
        {humans.length > 0 ? (
          <p>
            {bots.length === 0
              ? t('They are logged out everywhere and can no longer log in. Invitations they sent are revoked.')
              : t(
                  'They are logged out everywhere and can no longer log in. Invitations they sent are revoked, and their bots are deactivated: {bots}.',
                  { bots: joinNames(bots.map(({ full_name }) => full_name)) },
                )}
          </p>
        ) : (
          <p>{t('Programs that use these accounts stop working.')}</p>
        )}
        <p>{t('Their messages stay, and administrators can reactivate the accounts at any time.')}</p>
        {humans.length > 0 && (
          <CheckboxField isSelected={tells} onChange={tell}>
            {t('{count, plural, one {Notify them by email} other {Notify each of them by email}}', {
              count: humans.length,
            })}
          </CheckboxField>
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

const end = ({ user_id, is_bot }: Person, tells: boolean): Promise<unknown> =>
  is_bot
    ? call('DELETE /bots/{bot_id}', { bot_id: user_id })
    : call('DELETE /users/{user_id}', { user_id, ...(tells && { deactivation_notification_comment: '' }) })
