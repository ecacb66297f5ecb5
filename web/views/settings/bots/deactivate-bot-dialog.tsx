import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { type Bot, refreshBots } from './own-bots.ts'

/** Asks before a bot is deactivated. */
export function DeactivateBotDialog({
  bot: { user_id, full_name },
  onClose,
}: {
  bot: Bot
  onClose: () => void
}): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /bots/{bot_id}', { bot_id: user_id }),
    onSuccess() {
      refreshBots()
      showToast(t('{name} deactivated', { name: full_name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Deactivate {name}?', { name: full_name })} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t deactivate the bot')} error={toAppError(error)} />}
        <p>{t('Programs that use it stop working immediately. Its messages stay, and you can reactivate it later.')}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Deactivate')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
