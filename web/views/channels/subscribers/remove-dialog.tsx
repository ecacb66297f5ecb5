import type { ReactNode } from 'react'
import type { Channel, Person } from '../../../store/organization.ts'
import { joinNames } from '../../../text/join-names.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'

/** The maximum number of people listed by name. */
const NAMED = 5

/** Asks before subscribers are removed from a channel. */
export function RemoveSubscribersDialog(props: {
  channel: Channel
  people: readonly Person[]
  onRemove: () => void
  onClose: () => void
}): ReactNode {
  const { channel, people, onRemove, onClose } = props
  const who =
    people.length === 1
      ? people[0]!.full_name
      : t('{count, plural, one {# person} other {# people}}', { count: people.length })
  const named = people.slice(0, NAMED).map(({ full_name }) => full_name)
  const more = people.length - named.length
  return (
    <Dialog
      title={t('Remove {who} from #{name}?', { who, name: channel.name })}
      role="alertdialog"
      isOpen
      onClose={onClose}
    >
      <div className="dialog-body">
        {people.length > 1 && (
          <p>{more > 0 ? t('{names} and {more} more', { names: named.join(', '), more }) : joinNames(named)}</p>
        )}
        <p>
          {channel.invite_only
            ? t('They’ll no longer see its messages, and can only return if someone adds them.')
            : t('They’ll no longer receive its messages. The channel is public, so members can rejoin.')}
        </p>
        <p className="soft">{t('They’ll get a message saying who removed them.')}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" onPress={onRemove}>
          {t('Remove')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
