import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toTrouble } from '../../../store/trouble.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { toast } from '../../../ui/toast.ts'

/** Asks once more before an emoji can be used no more. */
export function RemoveEmojiDialog({ name, onClose }: { name: string; onClose: () => void }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /realm/emoji/{emoji_name}', { emoji_name: name }),
    onSuccess() {
      toast(`:${name}: is removed`)
      onClose()
    },
  })
  return (
    <Dialog title={`Remove :${name}:?`} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title="It was not removed" trouble={toTrouble(error)} />}
        <p>It stays in the messages and reactions that have it, and nobody can use it any more.</p>
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
