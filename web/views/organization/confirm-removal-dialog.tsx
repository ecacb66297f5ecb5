import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'

/** Asks once more before something is removed, and says what becomes of it. */
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
      showToast(`${name} is removed`)
      onClose()
    },
  })
  return (
    <Dialog title={`Remove ${name}?`} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title="It was not removed" trouble={toAppError(error)} />}
        <p>{children}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>Keep it</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  )
}
