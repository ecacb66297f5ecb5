import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'

/** Asks before a message notifies many people. */
export function WildcardDialog(props: { count: number; onSend: () => void; onClose: () => void }): ReactNode {
  const { count, onSend, onClose } = props
  return (
    <Dialog
      title={t('{count, plural, one {Notify # person?} other {Notify # people?}}', { count })}
      role="alertdialog"
      isOpen
      onClose={onClose}
    >
      <div className="dialog-body">
        <p>{t('This message mentions everyone in the channel. Each of them gets a notification.')}</p>
      </div>
      <DialogActions>
        <Button autoFocus onPress={onClose}>
          {t('Cancel')}
        </Button>
        <Button kind="primary" onPress={onSend}>
          {t('Notify and send')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
