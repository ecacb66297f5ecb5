import type { ReactNode } from 'react'
import { type Channel, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { mayAdminister, mayJoin } from './channel.ts'

/** Asks before the user leaves a channel that they may not be able to rejoin. */
export function LeaveDialog(props: {
  channel: Channel
  isPending: boolean
  onLeave: () => void
  onClose: () => void
}): ReactNode {
  const { channel, isPending, onLeave, onClose } = props
  const organization = useOrganization()
  const returns = mayJoin(organization, channel)
  const sees = channel.is_web_public || mayAdminister(organization, channel)
  return (
    <Dialog title={t('Leave #{name}?', { name: channel.name })} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {returns
            ? t('You can rejoin at any time.')
            : t('You can’t rejoin on your own. Someone who can add people has to add you again.')}
        </p>
        {!returns && (
          <p>
            {sees
              ? t('Until then, you won’t see its messages.')
              : t('Until then, you won’t see its messages or find it in any list.')}
          </p>
        )}
        {channel.invite_only && !channel.history_public_to_subscribers && (
          <p>{t('You won’t be able to see messages sent while you’re not subscribed.')}</p>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={onLeave}>
          {t('Leave channel')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
