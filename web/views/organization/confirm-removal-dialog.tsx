import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'

/** Asks before something is removed, and explains the effect. */
export function ConfirmRemovalDialog(props: {
  name: string
  remove: () => Promise<unknown>
  onClose: () => void
  children: ReactNode
}): ReactNode {
  const { name, remove, onClose, children } = props
  const { mutate, isPending, error } = useMutation({
    mutationFn: remove,
    onSuccess() {
      showToast(t('{name} removed', { name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Remove {name}?', { name })} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t remove {name}', { name })} error={toAppError(error)} />}
        <p>{children}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Remove')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
