import { useQuery } from '@tanstack/react-query'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import SearchX from 'lucide-react/icons/search-x'
import Users from 'lucide-react/icons/users'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { PersonButton } from '../../people/cards.tsx'
import { Everyone } from '../../picking/everyone.tsx'
import { AddPicked } from '../../picking/picker.tsx'
import { type PickerChoice, pickedPeople } from '../../picking/picker-choices.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Channel, type Person, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people.ts'
import { addSubscribers, channelSubscribers } from '../../store/subscribers.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ShowMore } from '../../ui/button.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { SelectionBar, useStableFocus } from '../../ui/table.tsx'
import { mayAddPeople, mayRemovePeople } from '../channel.ts'
import type { ListedChannel } from '../listing.ts'
import { RemoveSubscribersDialog, removeFromChannel, useVisibleSubscribers } from '../remove-subscribers.tsx'
import { orderAfter, type PeopleOrder, sortPeople } from './sort-people.ts'
import * as css from './subscribers.module.css'

/** Adds users, groups and the subscribers of other channels to a channel. */
function AddPeople({ channel, present }: { channel: Channel; present: ReadonlySet<number> }): ReactNode {
  const { stream_id, name } = channel
  const organization = useOrganization()

  async function add(picks: readonly PickerChoice[], inChannels: readonly number[]): Promise<string> {
    const all = pickedPeople(organization, picks, inChannels)
    const missing = all.filter((id) => !present.has(id))
    if (missing.length > 0)
      await call('POST /users/me/subscriptions', { subscriptions: [{ name }], principals: missing })
    addSubscribers([stream_id], missing)
    return added(missing.length, all.length - missing.length, name)
  }

  return (
    <AddPicked
      storageKey={`channels.add.${stream_id}`}
      title={t('Add people')}
      label={t('Add people')}
      description={t('People, groups, or the subscribers of another channel. You can paste email addresses.')}
      action={t('Add to #{name}', { name })}
      without={present}
      add={add}
    />
  )
}

function added(count: number, there: number, name: string): string {
  if (count === 0) return t('Everyone you picked is already in #{name}', { name })
  return there === 0
    ? t('{count, plural, one {# person} other {# people}} added to #{name}', { count, name })
    : t(
        '{count, plural, one {# person} other {# people}} added to #{name}; {there, plural, one {# was} other {# were}} already subscribed',
        { count, name, there },
      )
}

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

/** The subscribers of a channel. Users with permission can select others and remove them together. */
function SubscriberTable(props: { channel: Channel; people: readonly Person[]; mayRemove: boolean }): ReactNode {
  const { channel, people, mayRemove } = props
  const { user_id: ownId } = useOrganization('user_id')
  const [selected, select] = useState<ReadonlySet<number>>(new Set())
  const [isAsking, ask] = useState(false)
  const [most, showUpTo] = useState(SHOWN)
  const table = useStableFocus(people.length)
  const others = people.filter(({ user_id }) => user_id !== ownId)
  const chosen = mayRemove ? others.filter(({ user_id }) => selected.has(user_id)) : []
  const [order, sort] = useState<PeopleOrder>({ by: 'name', isReversed: false })
  const shown = sortPeople(people, order).slice(0, most)
  const head = (by: PeopleOrder['by'], label: string) => (
    <ColumnHead label={label} by={by} order={order} onSort={() => sort(orderAfter(order, by))} />
  )
  const toggle = (id: number, isOn: boolean) =>
    select((before) => (isOn ? before.union(new Set([id])) : before.difference(new Set([id]))))

  function remove() {
    ask(false)
    removeFromChannel(channel, chosen)
    select(new Set())
  }

  return (
    <div ref={table}>
      <SelectionBar label={t('Selection')} count={chosen.length} onClear={() => select(new Set())}>
        <Button onPress={() => ask(true)}>{t('Remove {count}…', { count: chosen.length })}</Button>
      </SelectionBar>
      <table className={`card ${css.subscriberTable}`} aria-label={t('People in {name}', { name: channel.name })}>
        <thead>
          <tr>
            {mayRemove && (
              <th scope="col">
                {others.length > 0 && (
                  <CheckboxField
                    isSelected={chosen.length > 0 && chosen.length === others.length}
                    onChange={(isOn) => select(new Set(isOn ? others.map(({ user_id }) => user_id) : []))}
                  >
                    <span className="visually-hidden">{t('Select all {count}', { count: others.length })}</span>
                  </CheckboxField>
                )}
              </th>
            )}
            {head('name', t('Name'))}
            {head('role', t('Role'))}
          </tr>
        </thead>
        <tbody>
          {shown.map((person) => (
            <tr key={person.user_id}>
              {mayRemove && (
                <td>
                  {person.user_id !== ownId && (
                    <CheckboxField
                      isSelected={selected.has(person.user_id)}
                      onChange={(isOn) => toggle(person.user_id, isOn)}
                    >
                      <span className="visually-hidden">{t('Select {name}', { name: person.full_name })}</span>
                    </CheckboxField>
                  )}
                </td>
              )}
              <td>
                <PersonCell person={person} isOwn={person.user_id === ownId} />
              </td>
              <td>{person.is_bot ? t('Bot') : roleName(person.role)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ShowMore shown={shown.length} all={people.length} onMore={() => showUpTo(most + SHOWN)} />
      {isAsking && chosen.length > 0 && (
        <RemoveSubscribersDialog channel={channel} people={chosen} onRemove={remove} onClose={() => ask(false)} />
      )}
    </div>
  )
}

function ColumnHead(props: {
  label: string
  by: PeopleOrder['by']
  order: PeopleOrder
  onSort: () => void
}): ReactNode {
  const { label, by, order, onSort } = props
  const isSorted = order.by === by
  const Arrow = order.isReversed ? ArrowUp : ArrowDown
  return (
    <th scope="col" aria-sort={isSorted ? (order.isReversed ? 'descending' : 'ascending') : 'none'}>
      <button type="button" className={css.columnSort} onClick={onSort}>
        {label}
        {isSorted && <Arrow className="icon" aria-hidden="true" />}
      </button>
    </th>
  )
}

function PersonCell({ person, isOwn }: { person: Person; isOwn: boolean }): ReactNode {
  return (
    <span className={css.subscriber}>
      <Avatar id={person.user_id} name={person.full_name} url={person.avatar_url} />
      <span>
        <span className={css.subscriberName}>
          <PersonButton userId={person.user_id}>{person.full_name}</PersonButton> {isOwn && <Badge>{t('You')}</Badge>}
        </span>
        {person.delivery_email !== null && (
          <span className={`soft small ${css.subscriberEmail}`}>{person.delivery_email}</span>
        )}
      </span>
    </span>
  )
}

/** The subscribers of a channel, and the form to add subscribers. */
export function Subscribers(props: { known: ListedChannel }): ReactNode {
  return (
    <Everyone>
      <AllSubscribers {...props} />
    </Everyone>
  )
}

function AllSubscribers({ known: { channel, subscription } }: { known: ListedChannel }): ReactNode {
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
          <search className={css.subscriberSearch} aria-label={t('Find a subscriber')}>
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
