import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { Header } from 'react-aria-components/Header'
import { ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox'
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer'
import { Role } from '#rules/role.ts'
import { PersonCard } from '../people/cards.tsx'
import { GuestBadge } from '../people/guest-badge.tsx'
import { localTime } from '../people/local-time.ts'
import { StatusEmoji } from '../people/person-icon.tsx'
import { orderPeople, presenceText, shortPresenceText, stableOrder } from '../people/person-row.ts'
import { type Organization, type Person, useOrganization } from '../store/organization.ts'
import { distinctName, roleName, useNamesakeDetail } from '../store/people.ts'
import { usePresences, type VisiblePresence } from '../store/presence.ts'
import { t } from '../text/t.ts'
import { Avatar, PresenceDot } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import * as css from './people-list.module.css'

/** The minimum time between reorderings, in milliseconds. */
const PERIOD = 5000

/**
 * Returns the order `target`, updated at most every five seconds. It is never updated while `isHeld`, because the
 * pointer or the focus is in the list.
 */
function useStableOrder(target: readonly number[], isHeld: boolean): readonly number[] {
  const [settled, settle] = useState(target)
  const settledAt = useRef(Number.NEGATIVE_INFINITY)
  const isSettled = useMemo(() => target.join() === settled.join(), [target, settled])

  useEffect(() => {
    if (isHeld || isSettled) return
    const wait = Math.max(0, settledAt.current + PERIOD - performance.now())
    const timer = setTimeout(() => {
      settledAt.current = performance.now()
      settle(target)
    }, wait)
    return () => clearTimeout(timer)
  }, [target, isHeld, isSettled])

  return useMemo(() => stableOrder(settled, target), [settled, target])
}

type PersonRow = {
  id: number
  person: Person
  /** Null for bots and deactivated accounts, or if the organization disables presence. */
  presence: VisiblePresence | null
  /** The presence as text for screen readers. `short` is the form that is shown. */
  words: string | null
  short: string | null
  now: number
}

/**
 * Returns the rows of people: in the given order if `isOrdered`, otherwise with active people first. The second order
 * changes at most every five seconds, and never while `isHeld`.
 */
export function usePersonRows(
  people: readonly Person[],
  { isHeld, isOrdered }: { isHeld: boolean; isOrdered: boolean },
): PersonRow[] {
  const { find, now } = usePresences()
  const byPresence = useStableOrder(
    useMemo(() => (isOrdered ? [] : orderPeople(people, find)), [isOrdered, people, find]),
    isHeld,
  )
  return useMemo(() => {
    const byId = new Map(people.map((person) => [person.user_id, person]))
    const order = isOrdered ? byId.keys() : byPresence
    return [...order].flatMap((id): PersonRow[] => {
      const person = byId.get(id)
      if (person === undefined) return []
      const presence = person.is_bot || !person.is_active ? null : (find?.(id) ?? null)
      const words = presence && presenceText(presence, now)
      return [{ id, person, presence, now, words, short: presence && shortPresenceText(presence, now) }]
    })
  }, [isOrdered, byPresence, people, find, now])
}

export type PeopleSection = { id: string; title: string; rows: readonly PersonRow[] }

/**
 * A list of people with their presence. Pressing a row opens the person's card. The list fills the height of its
 * parent. `onHold` is called with true while the pointer or the focus is in the list, and with false otherwise.
 * `hasDetails` adds columns where there is room.
 */
export function PeopleList(props: {
  sections: readonly PeopleSection[]
  hasDetails?: boolean
  onHold?: (isHeld: boolean) => void
}): ReactNode {
  const { sections, hasDetails = false, onHold } = props
  const [opened, open] = useState<{ id: number; trigger: Element } | null>(null)
  const [isPointedAt, point] = useState(false)
  const [isFocused, focus] = useState(false)
  useEffect(() => onHold?.(isPointedAt || isFocused), [onHold, isPointedAt, isFocused])

  function openCard(id: number) {
    const trigger = document.querySelector(`.people-list [data-key="${id}"] .person-picture`)
    if (trigger !== null) open({ id, trigger })
  }

  return (
    <div className={css.peopleListFrame} onPointerEnter={() => point(true)} onPointerLeave={() => point(false)}>
      <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight: 52, estimatedHeadingHeight: 36 }}>
        <ListBox
          className={hasDetails ? `${css.peopleList} ${css.peopleListWide}` : css.peopleList}
          aria-label={t('People')}
          items={sections}
          dependencies={[hasDetails]}
          selectionMode="none"
          onAction={(id) => openCard(Number(id))}
          onFocus={() => focus(true)}
          onBlur={() => focus(false)}
          renderEmptyState={() => (
            <p className={css.peopleNone}>
              <SearchX className="icon" aria-hidden="true" /> {t('No matching people.')}
            </p>
          )}
        >
          {({ id, title, rows }) => (
            <ListBoxSection id={id}>
              <Header className={css.peopleHeading}>
                {title} <span aria-hidden="true">{rows.length}</span>
              </Header>
              {rows.map((row) => (
                <PersonItem key={row.id} row={row} hasDetails={hasDetails} />
              ))}
            </ListBoxSection>
          )}
        </ListBox>
      </Virtualizer>
      {opened !== null && <PersonCard userId={opened.id} trigger={opened.trigger} onClose={() => open(null)} />}
    </div>
  )
}

/** Returns the accessible name of a row: name, presence, role and status. */
function nameOf(row: PersonRow, { user_id, user_status, realm_users }: Organization): string {
  const { person, words: text } = row
  const { status_text } = user_status[person.user_id] ?? {}
  const name = distinctName(person, realm_users)
  return [
    person.user_id === user_id ? t('{name} (you)', { name }) : name,
    person.is_bot && t('bot'),
    person.is_active ? text : t('deactivated'),
    person.is_guest && t('guest'),
    status_text,
  ]
    .filter(Boolean)
    .join(', ')
}

function PersonItem({ row, hasDetails }: { row: PersonRow; hasDetails: boolean }): ReactNode {
  const organization = useOrganization()
  const { person, presence, id } = row
  const status = organization.user_status[id]
  const short = status?.status_text ?? row.short
  const namesakeDetail = useNamesakeDetail(person)
  return (
    <ListBoxItem
      id={id}
      textValue={person.full_name}
      className={person.is_active ? css.personItem : `${css.personItem} ${css.personItemEnded}`}
    >
      <span className="visually-hidden">{nameOf(row, organization)}</span>
      <span className={css.personPicture} aria-hidden="true">
        <Avatar id={person.user_id} name={person.full_name} url={person.avatar_url} />
        {presence !== null && (
          <span className={css.personDot}>
            <PresenceDot kind={presence.kind} />
          </span>
        )}
      </span>
      <span className={css.personText} aria-hidden="true">
        <span className={css.personName}>
          <span className={css.personCalled}>{person.full_name}</span>
          {id === organization.user_id && <span className="soft">{t('(you)')}</span>}
          <StatusEmoji status={status} />
          <RoleBadge person={person} hasDetails={hasDetails} />
        </span>
        <span className={css.personStatus}>
          {namesakeDetail !== null && (
            <span className={css.personNamesake} title={namesakeDetail}>
              {namesakeDetail}
            </span>
          )}
          {namesakeDetail !== null && short !== null && ' · '}
          {short}
        </span>
      </span>
      {hasDetails && <Details row={row} />}
    </ListBoxItem>
  )
}

/** Marks bots and guests. With details, also marks all other roles except member. */
function RoleBadge({ person, hasDetails }: { person: Person; hasDetails: boolean }): ReactNode {
  if (person.is_bot) return <Badge>{t('Bot')}</Badge>
  if (person.is_guest) return <GuestBadge />
  return hasDetails && person.role !== Role.member && <Badge>{roleName(person.role)}</Badge>
}

function Details({ row: { person, now } }: { row: PersonRow }): ReactNode {
  const time = person.is_bot || !person.is_active ? null : localTime(person.timezone, now)
  return (
    <>
      <span className={css.personDetail} aria-hidden="true">
        {person.is_bot ? person.email : person.delivery_email}
      </span>
      <span className={`${css.personDetail} ${css.personTime}`} aria-hidden="true">
        {time}
      </span>
    </>
  )
}
