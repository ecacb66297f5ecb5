import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react'
import { Header } from 'react-aria-components/Header'
import { ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox'
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer'
import { type Organization, type Person, useOrganization } from '../../store/organization.ts'
import { useRequestedFilter } from '../../store/page/requested-filter.ts'
import { usePresences, type VisiblePresence } from '../../store/people/presences.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { PresenceDot } from '../../ui/people/presence-dot.tsx'
import './people-pane.css'
import { t } from '../../text/t.ts'
import { GuestBadge } from './guest-badge.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { matchesPerson, orderPeople, presenceText, shortPresenceText } from './person-row.ts'
import { StatusEmoji } from './status-emoji.tsx'
import { useStableOrder } from './use-stable-order.ts'

/** The number of other people that are shown at first. */
const MAX_OTHERS = 100

type Row = {
  id: number
  person: Person
  presence: VisiblePresence | null
  /** Presence for screen readers, and as it is shown. */
  words: string | null
  short: string | null
}
type Section = { id: string; title: string; rows: Row[] }

/**
 * People with their presence, active ones first, each with a card. It fills the height of its parent, so that it can be a
 * pane beside a conversation or a page. The order changes at most every five seconds, and never under the pointer or the
 * focus.
 */
export function PeoplePane({ inConversation }: { inConversation?: ReadonlySet<number> }): ReactNode {
  const [text, setText] = useState('')
  const filter = useRef<HTMLElement>(null)
  useRequestedFilter('people', filter)
  const [opened, open] = useState<number | null>(null)
  const [areAllWanted, showAll] = useState(false)
  const [isPointedAt, point] = useState(false)
  const [isFocused, focus] = useState(false)
  const rows = useRows(isPointedAt || isFocused)
  const query = useDeferredValue(text)
  const found = rows.filter(({ person }) => matchesPerson(person, query))
  const others = found.filter(({ id }) => !inConversation?.has(id))
  const areOthersShown = inConversation === undefined || areAllWanted || query !== '' || others.length <= MAX_OTHERS
  const sections: Section[] = [
    { id: 'here', title: t('In this conversation'), rows: found.filter(({ id }) => inConversation?.has(id)) },
    {
      id: 'others',
      title: inConversation === undefined ? t('Everyone') : t('Others'),
      rows: areOthersShown ? others : [],
    },
  ].filter((section) => section.rows.length > 0)

  return (
    <div className="people-pane">
      <search ref={filter} aria-label={t('People')}>
        <TextField
          label={t('Filter people')}
          type="search"
          placeholder={t('Filter people')}
          value={text}
          onChange={setText}
        />
      </search>
      <p className="visually-hidden" role="status">
        {query !== '' &&
          t('{count} of {total, plural, one {# person} other {# people}}', { count: found.length, total: rows.length })}
      </p>
      <div className="people-list-frame" onPointerEnter={() => point(true)} onPointerLeave={() => point(false)}>
        <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight: 52, estimatedHeadingHeight: 36 }}>
          <ListBox
            className="people-list"
            aria-label={t('People')}
            items={sections}
            selectionMode="none"
            onAction={(id) => open(Number(id))}
            onFocus={() => focus(true)}
            onBlur={() => focus(false)}
            renderEmptyState={() => (
              <p className="people-none">
                <SearchX className="icon" aria-hidden="true" /> {t('No matching people.')}
              </p>
            )}
          >
            {({ id, title, rows }) => (
              <ListBoxSection id={id}>
                <Header className="people-heading">
                  {title} <span aria-hidden="true">{rows.length}</span>
                </Header>
                {rows.map((row) => (
                  <PersonItem key={row.id} row={row} />
                ))}
              </ListBoxSection>
            )}
          </ListBox>
        </Virtualizer>
      </div>
      {!areOthersShown && (
        <Button kind="quiet" onPress={() => showAll(true)}>
          {t('Show {count} more', { count: others.length })}
        </Button>
      )}
      {opened !== null && <PersonDialog userId={opened} onClose={() => open(null)} />}
    </div>
  )
}

/** Returns all active users except bots. The order is kept while `isHeld`. */
function useRows(isHeld: boolean): Row[] {
  const { realm_users } = useOrganization()
  const { find, now } = usePresences()
  const people = useMemo(() => realm_users.filter(({ is_bot }) => !is_bot), [realm_users])
  const order = useStableOrder(
    useMemo(() => orderPeople(people, find), [people, find]),
    isHeld,
  )
  return useMemo(() => {
    const byId = new Map(people.map((person) => [person.user_id, person]))
    return order.map((id): Row => {
      const presence = find?.(id) ?? null
      return {
        id,
        person: byId.get(id)!,
        presence,
        words: presence && presenceText(presence, now),
        short: presence && shortPresenceText(presence, now),
      }
    })
  }, [order, people, find, now])
}

/** The accessible name of a row: name, status and presence. */
function nameOf({ person, words: text }: Row, { user_id, user_status }: Organization): string {
  const { status_text } = user_status[person.user_id] ?? {}
  return [
    person.user_id === user_id ? t('{name} (you)', { name: person.full_name }) : person.full_name,
    text,
    person.is_guest && 'guest',
    status_text,
  ]
    .filter(Boolean)
    .join(', ')
}

function PersonItem({ row }: { row: Row }): ReactNode {
  const organization = useOrganization()
  const { person, presence, id } = row
  const status = organization.user_status[id]
  const name = nameOf(row, organization)
  return (
    <ListBoxItem id={id} textValue={person.full_name} className="person-item">
      <span className="visually-hidden">{name}</span>
      <span className="person-picture" aria-hidden="true">
        <Avatar id={person.user_id} name={person.full_name} url={person.avatar_url} />
        {presence !== null && (
          <span className="person-dot">
            <PresenceDot kind={presence.kind} />
          </span>
        )}
      </span>
      <span className="person-text" aria-hidden="true">
        <span className="person-name">
          <span className="person-called">{person.full_name}</span>
          {id === organization.user_id && <span className="soft">{t('(you)')}</span>}
          <StatusEmoji status={status} />
          {person.is_guest && <GuestBadge />}
        </span>
        <span className="person-status">{status?.status_text ?? row.short}</span>
      </span>
    </ListBoxItem>
  )
}
