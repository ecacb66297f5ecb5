import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { removePersonalDataAfter } from '../../../store/browser/personal-data.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { SettingsEnd } from '../rows/settings-group.tsx'

/** Deactivates the user's own account after a confirmation. */
export function Deactivation(): ReactNode {
  const { realm_name: organization } = useOrganization()
  const [isAsking, ask] = useState(false)
  return (
    <SettingsEnd
      id="deactivate"
      title={t('Deactivate account')}
      about={t(
        'You’ll be logged out of {organization} everywhere. Only an administrator can reactivate your account.',
        {
          organization,
        },
      )}
    >
      <Button onPress={() => ask(true)}>{t('Deactivate account…')}</Button>
      {isAsking && <DeactivationDialog onClose={() => ask(false)} />}
    </SettingsEnd>
  )
}

function DeactivationDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { user_id } = useOrganization()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => removePersonalDataAfter(user_id, async () => void (await call('DELETE /users/me', {}))),
    onSuccess: () => location.assign('/login/'),
  })
  return (
    <Dialog title={t('Deactivate your account?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t deactivate your account')} error={toAppError(error)} />}
        <ul>
          <li>{t('You can’t log in anymore, and programs that use your API keys stop working.')}</li>
          <li>{t('Your bots are deactivated, and invitations that you sent are revoked.')}</li>
          <li>{t('Your messages and files stay.')}</li>
        </ul>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Deactivate account')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
