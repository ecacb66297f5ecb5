import { type ReactNode, useState } from 'react'
import { endSession } from '../../api/session.ts'
import { toAppError } from '../../store/app-error.ts'
import { removeTextsAfter } from '../../store/browser/personal-data.ts'
import { countUnsavedDrafts } from '../../store/drafts/drafts.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { flushToasts, showToast } from '../../ui/feedback/toasts.ts'

/** Returns a function that logs out, and the dialog that asks first if that deletes drafts. */
export function useLogOut(userId: number): { logOut: () => void; dialog: ReactNode } {
  const [isConfirming, confirm] = useState(false)
  return {
    logOut: () => (countUnsavedDrafts(userId) > 0 ? confirm(true) : void logOut(userId)),
    dialog: isConfirming && <LogOutDialog userId={userId} onClose={() => confirm(false)} />,
  }
}

/** Logs out after all undoable actions have run, and removes the user's texts from this browser. */
async function logOut(userId: number): Promise<void> {
  await flushToasts()
  try {
    await removeTextsAfter(userId, endSession)
  } catch (error) {
    return showToast(toAppError(error).message, { kind: 'error' })
  }
  location.assign('/login/')
}

function LogOutDialog({ userId, onClose }: { userId: number; onClose: () => void }): ReactNode {
  const [count] = useState(() => countUnsavedDrafts(userId))
  return (
    <Dialog title={t('Log out?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {t(
            '{count, plural, one {You have a draft that is not on the server yet. Logging out deletes it.} other {You have # drafts that are not on the server yet. Logging out deletes them.}}',
            { count },
          )}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" onPress={() => void logOut(userId)}>
          {t('Log out')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
