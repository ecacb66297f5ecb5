import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { type Channel, currentOrganization, type Person } from '../../../store/organization.ts'
import { removeSubscribers } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { createStore } from '../../../ui/create-store.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { findListedChannel } from '../listing.ts'

/** The subscribers whose removal can still be undone, as keys of a channel id and a user id. */
const removing = createStore<ReadonlySet<string>>(new Set())

const keyOf = (channelId: number, userId: number) => `${channelId} ${userId}`

/** Returns the subscribers that are not being removed. */
export function useVisibleSubscribers(channelId: number, people: readonly Person[]): Person[] {
  const hidden = removing.use()
  return people.filter(({ user_id }) => !hidden.has(keyOf(channelId, user_id)))
}

/** Returns a function that checks whether the user is being removed from a channel. */
export function useRemovedFrom(userId: number): (channelId: number) => boolean {
  const hidden = removing.use()
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
