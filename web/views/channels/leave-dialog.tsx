import type { ReactNode } from 'react'
import { type Channel, useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { mayAdminister, mayJoin } from './rights.ts'

/** What it means to leave a channel that one cannot simply join again, before one does. */
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
    <Dialog title={`Leave ${channel.name}?`} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {returns
            ? 'You may join it again at any time.'
            : 'You cannot come back by yourself: somebody who may add people has to bring you back.'}
        </p>
        {!returns && (
          <p>Until then you do not read what is said there{sees ? '' : ', and do not find it in any list'}.</p>
        )}
        {channel.invite_only && !channel.history_public_to_subscribers && (
          <p>What is said while you are away stays hidden from you for good.</p>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>Stay</Button>
        <Button kind="danger" isPending={isPending} onPress={onLeave}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
