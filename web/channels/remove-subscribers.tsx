import { createAtom, useSelector } from '@tanstack/react-store'
import type { ReactNode } from 'react'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { type Channel, currentOrganization, type Person } from '../store/organization.ts'
import { removeSubscribers } from '../store/subscribers.ts'
import { joinNames } from '../text/names.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { showToast } from '../ui/toasts.ts'
import { findListedChannel } from './listing.ts'

/** The subscribers whose removal can still be undone, as keys of a channel id and a user id. */
const removing = createAtom<ReadonlySet<string>>(new Set<string>())

const keyOf = (channelId: number, userId: number) => `${channelId} ${userId}`

/** Returns the subscribers that are not being removed. */
export function useVisibleSubscribers(channelId: number, people: readonly Person[]): Person[] {
  const hidden = useSelector(removing)
  return people.filter(({ user_id }) => !hidden.has(keyOf(channelId, user_id)))
}

/** Returns a function that checks whether the user is being removed from a channel. */
export function useRemovedFrom(userId: number): (channelId: number) => boolean {
  const hidden = useSelector(removing)
  return (channelId) => hidden.has(keyOf(channelId, userId))
}

/**
 * Hides subscribers immediately, but removes them only after the undo toast has closed, because the server notifies
 * users whom it removes.
 */
export function removeFromChannel(channel: Channel, people: readonly Person[]): void {
  const { stream_id } = channel
  const ids = people.map(({ user_id }) => user_id)
  const keys = new Set(ids.map((id) => keyOf(stream_id, id)))
  const who =
    people.length === 1
      ? people[0]!.full_name
      : t('{count, plural, one {# person} other {# people}}', { count: people.length })
  const show = () => removing.set(removing.get().difference(keys))
  removing.set(removing.get().union(keys))
  showToast(t('Removing {who} from #{name}', { who, name: channel.name }), {
    undo: show,
    settle: () =>
      call('DELETE /users/me/subscriptions', { subscriptions: [nameNow(channel)], principals: ids })
        .then(
          () => removeSubscribers([stream_id], ids),
          (error: unknown) =>
            showToast(
              t('Couldn’t remove {who} from #{name}. {message}', {
                who,
                name: channel.name,
                message: toAppError(error).message,
              }),
              { kind: 'error' },
            ),
        )
        .finally(show),
  })
}

/** Returns the current name of the channel, which may have been renamed while the toast was open. */
function nameNow({ stream_id, name }: Channel): string {
  const organization = currentOrganization()
  return (organization && findListedChannel(organization, stream_id)?.channel.name) ?? name
}

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
