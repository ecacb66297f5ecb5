import type { ReactNode } from 'react'
import type { Channel, Person } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'

/** How many are named one by one. */
const NAMED = 5

/** What it means to remove people from a channel, before they are. */
export function RemoveSubscribersDialog(props: {
  channel: Channel
  people: readonly Person[]
  onRemove: () => void
  onClose: () => void
}): ReactNode {
  const { channel, people, onRemove, onClose } = props
  const who = people.length === 1 ? people[0]!.full_name : t('{count} people', { count: people.length })
  const named = people.slice(0, NAMED).map(({ full_name }) => full_name)
  const more = people.length - named.length
  return (
    <Dialog
      title={t('Remove {who} from {name}?', { who, name: channel.name })}
      role="alertdialog"
      isOpen
      onClose={onClose}
    >
      <div className="dialog-body">
        {people.length > 1 && (
          <p>
            {named.join(', ')}
            {more > 0 && t(' and {more} more', { more })}
          </p>
        )}
        <p>
          {channel.invite_only
            ? t('They do not read what is said there any more, and come back only when somebody adds them.')
            : t('What is said there does not reach them any more. It is public: members may join it again.')}
        </p>
        <p className="soft">{t('They are told by a message who removed them.')}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Keep them')}</Button>
        <Button kind="danger" onPress={onRemove}>
          {t('Remove')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
