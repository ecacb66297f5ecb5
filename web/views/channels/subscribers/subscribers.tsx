import { useQuery } from '@tanstack/react-query'
import SearchX from 'lucide-react/icons/search-x'
import Users from 'lucide-react/icons/users'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { channelSubscribers } from '../../../store/people/subscribers.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import type { ListedChannel } from '../listing.ts'
import { mayAddPeople, mayRemovePeople } from '../rights.ts'
import { AddPeople } from './add-people.tsx'
import { useVisibleSubscribers } from './remove-subscribers.ts'
import { SubscriberTable } from './subscriber-table.tsx'

/** The subscribers of a channel, and the form to add subscribers. */
export function Subscribers({ known: { channel, subscription } }: { known: ListedChannel }): ReactNode {
  const organization = useOrganization()
  const { realm_users } = organization
  const { data, error, refetch } = useQuery(channelSubscribers(channel.stream_id))
  const [text, setText] = useState('')
  const query = useDeferredValue(text).toLowerCase().trim()
  const present = useMemo(() => new Set(data), [data])
  const people = useMemo(
    () => realm_users.filter(({ user_id, is_active }) => is_active && present.has(user_id)),
    [realm_users, present],
  )
  const visible = useVisibleSubscribers(channel.stream_id, people)
  const found = visible.filter(({ full_name, delivery_email }) =>
    `${full_name}\n${delivery_email ?? ''}`.toLowerCase().includes(query),
  )

  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading subscribers')} lines={6} />
  return (
    <div className="stack">
      {mayAddPeople(organization, channel, subscription !== null) && <AddPeople channel={channel} present={present} />}
      {visible.length === 0 ? (
        <Empty icon={<Users />} title={t('No subscribers')}>
          <p>{t('People who join or are added appear here.')}</p>
        </Empty>
      ) : (
        <>
          <search className="subscriber-search" aria-label={t('Find a subscriber')}>
            <TextField
              label={t('Search')}
              type="search"
              placeholder={t('Name or email')}
              value={text}
              onChange={setText}
            />
          </search>
          <p className="soft small" role="status">
            {query === ''
              ? t('{count, plural, one {# person} other {# people}}', { count: visible.length })
              : t('{count, number} of {total, plural, one {# person} other {# people}}', {
                  count: found.length,
                  total: visible.length,
                })}
          </p>
          {found.length === 0 ? (
            <Empty icon={<SearchX />} title={t('No matches')}>
              <p>{t('Try a different name.')}</p>
              <Button onPress={() => setText('')}>{t('Show all {count}', { count: visible.length })}</Button>
            </Empty>
          ) : (
            <SubscriberTable
              channel={channel}
              people={found}
              mayRemove={mayRemovePeople(organization, channel, subscription !== null)}
            />
          )}
        </>
      )}
    </div>
  )
}
