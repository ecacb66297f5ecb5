import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { RenderedContent } from '../content/rendered-content.tsx'
import type { PartProps } from './part.ts'
import './parts.css'
import { t } from '../../../text/t.ts'

/** Asks before a message is deleted. */
export function DeleteDialog({ message, onClose }: PartProps): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /messages/{message_id}', { message_id: message.id }),
    onSuccess() {
      showToast(t('Message deleted'))
      onClose()
    },
  })
  return (
    <Dialog title={t('Delete this message?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t delete the message')} error={toAppError(error)} />}
        <p>{t('It’s permanently deleted for everyone, with its reactions and edit history. You can’t undo this.')}</p>
        <blockquote className="part-message part-excerpt">
          <RenderedContent html={message.content} />
        </blockquote>
      </div>
      <DialogActions>
        <Button autoFocus onPress={onClose}>
          {t('Cancel')}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
