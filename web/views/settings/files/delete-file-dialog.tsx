import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { queryClient } from '../../../store/query-client.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { type OwnFile, ownFiles } from './own-files.ts'

/** Asks before a file is deleted for everyone. */
export function DeleteFileDialog({ file, onClose }: { file: OwnFile; onClose: () => void }): ReactNode {
  const { id, name, messages } = file
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /attachments/{attachment_id}', { attachment_id: id }),
    onSuccess() {
      void queryClient.invalidateQueries({ queryKey: ownFiles.queryKey })
      showToast(t('{name} deleted', { name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Delete {name}?', { name })} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t delete the file')} error={toAppError(error)} />}
        <p>
          {messages.length === 0
            ? t('None of the messages you can see link to it. You can’t undo this.')
            : t(
                '{count, plural, one {A message links to it. The message stays, but no one will be able to open the file.} other {# messages link to it. They stay, but no one will be able to open the file.}} You can’t undo this.',
                { count: messages.length },
              )}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete file')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
