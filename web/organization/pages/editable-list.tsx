import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'

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

/** Returns the items with the item at `at` moved by one position. */
export function moveItem<Item>(items: readonly Item[], at: number, step: -1 | 1): Item[] {
  return items.with(at, items[at + step]!).with(at + step, items[at]!)
}
