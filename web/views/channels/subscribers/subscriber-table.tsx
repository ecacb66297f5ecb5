import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { type ReactNode, useState } from 'react'
import { type Channel, type Person, useOrganization } from '../../../store/organization.ts'
import { roleName } from '../../../store/people/role.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ShowMore } from '../../../ui/buttons/show-more.tsx'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { SelectionBar } from '../../../ui/table/selection-bar.tsx'
import { useStableFocus } from '../../../ui/table/use-stable-focus.ts'
import { Badge } from '../../../ui/text/badge.tsx'
import { PersonButton } from '../../people/cards/person-button.tsx'
import { RemoveSubscribersDialog } from './remove-dialog.tsx'
import { removeFromChannel } from './remove-subscribers.ts'
import { orderAfter, type PeopleOrder, sortPeople } from './sort-people.ts'
import './subscribers.css'
import { t } from '../../../text/t.ts'

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

/** The subscribers of a channel. Users with permission can select others and remove them together. */
export function SubscriberTable(props: { channel: Channel; people: readonly Person[]; mayRemove: boolean }): ReactNode {
  const { channel, people, mayRemove } = props
  const { user_id: ownId } = useOrganization()
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
      <table className="card subscriber-table" aria-label={t('People in {name}', { name: channel.name })}>
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
      <button type="button" className="column-sort" onClick={onSort}>
        {label}
        {isSorted && <Arrow className="icon" aria-hidden="true" />}
      </button>
    </th>
  )
}

function PersonCell({ person, isOwn }: { person: Person; isOwn: boolean }): ReactNode {
  return (
    <span className="subscriber">
      <Avatar id={person.user_id} name={person.full_name} url={person.avatar_url} />
      <span>
        <span className="subscriber-name">
          <PersonButton userId={person.user_id}>{person.full_name}</PersonButton> {isOwn && <Badge>{t('You')}</Badge>}
        </span>
        {person.delivery_email !== null && <span className="soft small subscriber-email">{person.delivery_email}</span>}
      </span>
    </span>
  )
}
