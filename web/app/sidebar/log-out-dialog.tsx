import { type ReactNode, useState } from 'react'
import { countUnsavedDrafts } from '../../store/drafts/drafts.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'

/** Asks the user to confirm a logout that deletes drafts. */
export function LogOutDialog(props: { userId: number; onLogOut: () => void; onClose: () => void }): ReactNode {
  const { userId, onLogOut, onClose } = props
  const [count] = useState(() => countUnsavedDrafts(userId))
  return (
    <Dialog title={t('Log out?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {t(
            '{count, plural, one {You have a draft that isn’t saved on the server yet. Logging out deletes it.} other {You have # drafts that aren’t saved on the server yet. Logging out deletes them.}}',
            { count },
          )}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" onPress={onLogOut}>
          {t('Log out')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
