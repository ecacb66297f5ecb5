import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { absoluteTime } from '../../../ui/time/time.tsx'
import type { DataExport } from './exports-query.ts'

/** Asks before the file of an export is deleted. */
export function DeleteExportDialog(props: {
  deleted: DataExport
  onClose: () => void
  onDeleted: () => void
}): ReactNode {
  const { deleted, onClose, onDeleted } = props
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /export/realm/{export_id}', { export_id: deleted.id }),
    onSuccess() {
      showToast(t('Export deleted'))
      onDeleted()
    },
  })
  return (
    <Dialog title={t('Delete this export?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t delete the export')} error={toAppError(error)} />}
        <p>
          {t('No one will be able to download the export of {time}. The organization itself doesn’t change.', {
            time: absoluteTime(deleted.export_time),
          })}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete export')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
