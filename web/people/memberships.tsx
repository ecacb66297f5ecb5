import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { type Person, useOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { ComboField } from '../ui/combo-field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import type { Option } from '../ui/select-field.tsx'
import * as css from './membership-list.module.css'

/** The groups or channels of a person, each with a button that removes the person, and a field to add more. */
function MembershipList(props: {
  title: string
  /** The label of the field that adds a group or channel. */
  addLabel: string
  present: readonly Option<number>[]
  others: readonly Option<number>[]
  add: (id: number) => Promise<unknown>
  remove: (id: number) => Promise<unknown>
}): ReactNode {
  const { title, addLabel, present, others, add, remove } = props
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: ({ id, isAdded }: { id: number; isAdded: boolean }) => (isAdded ? add(id) : remove(id)),
  })
  return (
    <section className={`stack ${css.membership}`} aria-label={title}>
      <h3>{title}</h3>
      {present.length === 0 ? (
        <p className="soft">{t('None')}</p>
      ) : (
        <ul>
          {present.map(({ id, label }) => (
            <li key={id}>
              <span dir="auto">{label}</span>
              <Button
                kind="quiet"
                aria-label={t('Remove from {name}', { name: label })}
                isPending={isPending && variables.id === id}
                onPress={() => !isPending && mutate({ id, isAdded: false })}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <ComboField
        key={present.length}
        label={addLabel}
        value={null}
        options={others}
        placeholder={t('Enter a name')}
        error={error === null ? null : toAppError(error).message}
        onChoose={(id) => mutate({ id, isAdded: true })}
      />
    </section>
  )
}

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

/** The groups that a person is a direct member of. */
export function ManagedGroups({ person: { user_id } }: { person: Person }): ReactNode {
  const { realm_user_groups } = useOrganization('realm_user_groups')
  const groups = realm_user_groups.filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
  const toOption = ({ id, name }: (typeof groups)[number]) => ({ id, label: name })
  if (groups.length === 0) return null
  return (
    <MembershipList
      title={t('Groups')}
      addLabel={t('Add to a group')}
      present={groups.filter(({ members }) => members.includes(user_id)).map(toOption)}
      others={groups.filter(({ members }) => !members.includes(user_id)).map(toOption)}
      add={(id) => call('POST /user_groups/{user_group_id}/members', { user_group_id: id, add: [user_id] })}
      remove={(id) => call('POST /user_groups/{user_group_id}/members', { user_group_id: id, delete: [user_id] })}
    />
  )
}
