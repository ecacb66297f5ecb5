import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { isOwner } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { removePersonalDataAfter } from '../../store/browser/personal-data.ts'
import { findOwnAccount, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SettingsEnd } from '../settings/rows/settings-group.tsx'

/**
 * The button that deactivates the organization, for owners only. The user confirms by typing the organization's name.
 */
export function DeactivateOrganization(): ReactNode {
  const organization = useOrganization()
  const [isAsking, ask] = useState(false)
  const user = findOwnAccount(organization)
  if (user === undefined || !isOwner(user)) return null
  return (
    <SettingsEnd title={t('Deactivate organization')} about={t('Logs everyone out. Nothing is deleted.')}>
      <Button onPress={() => ask(true)}>{t('Deactivate organization…')}</Button>
      {isAsking && <DeactivateDialog userId={user.user_id} name={organization.realm_name} onClose={() => ask(false)} />}
    </SettingsEnd>
  )
}

function DeactivateDialog(props: { userId: number; name: string; onClose: () => void }): ReactNode {
  const { userId, name, onClose } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removePersonalDataAfter(userId, async () => void (await call('POST /realm/deactivate'))),
    onSuccess: () => location.assign('/login/'),
  })
  return (
    <Dialog title={t('Deactivate {name}?', { name })} role="alertdialog" isOpen onClose={onClose}>
      <DialogForm
        action={t('Deactivate organization')}
        isDanger
        isPending={isPending}
        onCancel={onClose}
        onSubmit={() => {
          if (typed.trim() === name) mutate()
          else setProblem(t('Enter “{name}” to confirm.', { name }))
        }}
      >
        {error !== null && <ErrorNotice title={t('Couldn’t deactivate the organization')} error={toAppError(error)} />}
        <ul className="account-list">
          <li>{t('Everyone is logged out at once, and bots stop working.')}</li>
          <li>{t('Scheduled messages won’t be sent, and invitation links stop working.')}</li>
          <li>{t('Messages, files and accounts are kept.')}</li>
          <li>
            {t(
              'You can’t undo this here. The operator of the server can reactivate the organization with “parley org reactivate”.',
            )}
          </li>
        </ul>
        <TextField
          label={t('Organization name')}
          name="name"
          autoComplete="off"
          value={typed}
          error={problem}
          onChange={(value) => {
            setTyped(value)
            setProblem(null)
          }}
        />
      </DialogForm>
    </Dialog>
  )
}
