import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { Person } from '../../../store/organization.ts'
import { queryClient } from '../../../store/query-client.ts'
import { t } from '../../../text/t.ts'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { MembershipList } from './membership-list.tsx'

const KEY = ['channels-with-subscribers']

/** The channels that a person is subscribed to, among those that the administrator can see. */
export function ManagedChannels({ person: { user_id } }: { person: Person }): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: fetchChannels, staleTime: 0, gcTime: 0 })
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading channels')} lines={2} />
  const isIn = ({ subscribers }: (typeof data)[number]) => subscribers.includes(user_id)
  const nameOf = (id: number) => data.find(({ stream_id }) => stream_id === id)?.name ?? ''
  const toOption = ({ stream_id, name }: (typeof data)[number]) => ({ id: stream_id, label: `#${name}` })
  const changed = () => queryClient.invalidateQueries({ queryKey: KEY })
  return (
    <MembershipList
      title={t('Channels')}
      addLabel={t('Add to a channel')}
      present={data.filter(isIn).map(toOption)}
      others={data.filter((channel) => !isIn(channel)).map(toOption)}
      add={async (id) => {
        await call('POST /users/me/subscriptions', { subscriptions: [{ name: nameOf(id) }], principals: [user_id] })
        await changed()
      }}
      remove={async (id) => {
        await call('DELETE /users/me/subscriptions', { subscriptions: [nameOf(id)], principals: [user_id] })
        await changed()
      }}
    />
  )
}

/**
 * Returns all visible channels with their subscribers. The initial state of the client does not include subscribers.
 */
async function fetchChannels({ signal }: { signal: AbortSignal }) {
  const types = ['subscription']
  const { queue_id, subscriptions, unsubscribed, never_subscribed } = await call(
    'POST /register',
    { event_types: types, fetch_event_types: types, include_subscribers: true },
    { signal },
  )
  if (typeof queue_id === 'string') await call('DELETE /events', { queue_id })
  return [...(subscriptions ?? []), ...(unsubscribed ?? []), ...(never_subscribed ?? [])]
    .filter(({ is_archived }) => !is_archived)
    .map(({ stream_id, name, subscribers = [] }) => ({ stream_id, name, subscribers }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}
