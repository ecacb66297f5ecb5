import CalendarDays from 'lucide-react/icons/calendar-days'
import Filter from 'lucide-react/icons/list-filter'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Search from 'lucide-react/icons/search'
import type { ReactNode } from 'react'
import { isResolved } from '#rules/topics.ts'
import { listedChannels } from '../channels/listing.ts'
import { indexOfPeople } from '../composer/mention-suggestions.tsx'
import { topicTitle } from '../messages/narrow.ts'
import { namedOperand, operandId, type SearchFilter, type SearchOperator } from '../messages/search-query.ts'
import { ChannelIcon, ResolvedMark } from '../navigation/conversation-name.tsx'
import type { Organization, Person } from '../store/organization.ts'
import { namesakeDetail } from '../store/people.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { rank, toSearchIndex } from '../ui/rank.ts'
import { CHOICES, dateText, isChoiceOperator, personOperand, toDate } from './resolve-search.ts'

/** An entry of the list below the search field. */
export type SearchSuggestion = {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly icon: ReactNode
  /** Choosing it searches for the typed text, adds a filter, starts a filter, or repeats a search. */
  readonly does:
    | { readonly kind: 'search' }
    | { readonly kind: 'add'; readonly filter: SearchFilter }
    | { readonly kind: 'start'; readonly text: string }
    | { readonly kind: 'repeat'; readonly text: string }
}

export type SuggestionSection = {
  readonly id: string
  readonly title: string
  readonly entries: readonly SearchSuggestion[]
}

/** The data from which suggestions are made. */
export type SuggestionContext = {
  readonly organization: Organization
  readonly filters: readonly SearchFilter[]
  /** The latest searches, newest first. */
  readonly recent: readonly string[]
  /** The topics to suggest, latest first. */
  readonly topics: readonly string[]
}

/** The maximum number of suggestions in a list. */
const MAX_SHOWN = 8

/** Returns the heading of the suggestions for an operator. */
export function operandTitle(operator: SearchOperator): string {
  if (operator === 'from' || operator === 'dm' || operator === 'dm-including') return t('People')
  if (operator === 'channel') return t('Channels')
  if (operator === 'topic') return t('Topics')
  return operator === 'before' || operator === 'after' ? t('Dates') : t('Filters')
}

/** Returns the operands to suggest for an operator. */
export function suggestOperands(
  operator: SearchOperator,
  typed: string,
  negated: boolean,
  { organization, topics }: SuggestionContext,
): SearchSuggestion[] {
  if (isChoiceOperator(operator)) {
    const choices = CHOICES[operator].filter(({ value }) => value.startsWith(typed.toLowerCase()))
    const icon = <Filter className="icon" aria-hidden="true" />
    return choices.map(({ value, hint }) => toEntry({ operator, operand: value, negated }, { hint, icon }))
  }
  switch (operator) {
    case 'from':
    case 'dm-including':
      return findPeople(typed, organization).map((person) => toPerson(operator, person, organization, negated))
    case 'dm': {
      const [, before = '', last = ''] = /^(.*,)?\s*([^,]*)$/.exec(typed) ?? []
      return findPeople(last, organization).map((person) => toPerson(operator, person, organization, negated, before))
    }
    case 'channel':
      return findChannels(typed, organization).map((channel) => toChannel(channel, negated))
    case 'topic':
      return suggestTopics(typed, negated, topics)
    case 'before':
    case 'after':
      return suggestDays(operator, typed, negated)
    default:
      return operandId(typed) === null ? [] : [toEntry({ operator, operand: typed, negated })]
  }
}

function findPeople(typed: string, { realm_users, user_id }: Organization): Person[] {
  const found = rank(indexOfPeople(realm_users), typed, MAX_SHOWN)
  const own = realm_users.find((person) => person.user_id === user_id)
  if (own === undefined || !'me'.startsWith(typed.toLowerCase())) return found
  return [own, ...found.filter((person) => person !== own)].slice(0, MAX_SHOWN)
}

/** Returns the channels that match the typed text and that the user can see; subscribed channels come first. */
export function findChannels(typed: string, organization: Organization) {
  const listed = listedChannels(organization).filter(({ channel }) => !channel.is_archived)
  const index = toSearchIndex(listed, ({ channel }) => channel.name)
  return rank(index, typed.replace(/^#/, ''), MAX_SHOWN, ({ subscription }) => (subscription === null ? 0 : -1))
}

function suggestTopics(typed: string, negated: boolean, topics: readonly string[]): SearchSuggestion[] {
  const index = toSearchIndex(topics, topicTitle)
  const found = typed === '' ? topics.slice(0, MAX_SHOWN) : rank(index, typed, MAX_SHOWN)
  const others = typed === '' || found.includes(typed) ? [] : [typed]
  return [...found, ...others].map((operand) => {
    const icon = isResolved(operand) ? <ResolvedMark /> : <MessagesSquare className="icon" aria-hidden="true" />
    return toEntry({ operator: 'topic', operand, negated }, { label: topicTitle(operand), icon })
  })
}

const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })

function suggestDays(operator: 'before' | 'after', typed: string, negated: boolean): SearchSuggestion[] {
  const today = new Date()
  const typedDay = toDate(typed, today)
  const days = [
    { label: t('Today'), operand: dateText(today, 0) },
    { label: t('Yesterday'), operand: dateText(today, 1) },
    { label: t('A week ago'), operand: dateText(today, 7) },
    { label: t('A month ago'), operand: dateText(today, 30) },
    { label: t('A year ago'), operand: dateText(today, 365) },
  ]
  const matching = days.filter(
    ({ label, operand }) => label.toLowerCase().startsWith(typed.toLowerCase()) || operand.startsWith(typed),
  )
  const shown =
    typedDay === null || matching.some(({ operand }) => operand === typedDay)
      ? matching
      : [{ label: typedDay, operand: typedDay }, ...matching]
  const icon = <CalendarDays className="icon" aria-hidden="true" />
  return shown.map(({ label, operand }) => {
    const [year = 0, month = 1, day = 1] = operand.split('-').map(Number)
    return toEntry(
      { operator, operand, negated },
      { label, hint: fullDay.format(new Date(year, month - 1, day)), icon },
    )
  })
}

export function toPerson(
  operator: 'from' | 'dm' | 'dm-including',
  person: Person,
  { realm_users }: Organization,
  negated: boolean,
  before = '',
): SearchSuggestion {
  const { user_id, full_name, avatar_url } = person
  const detail = namesakeDetail(person, realm_users)
  const filter = { operator, operand: before + personOperand(person), negated }
  return toEntry(filter, {
    label: `${negated ? '-' : ''}${operator}: ${full_name}`,
    ...(detail !== null && { hint: detail }),
    icon: <Avatar id={user_id} name={full_name} url={avatar_url} />,
  })
}

export function toChannel(
  { channel, subscription }: ReturnType<typeof findChannels>[number],
  negated: boolean,
): SearchSuggestion {
  const operand = namedOperand(channel.stream_id, channel.name)
  return toEntry(
    { operator: 'channel', operand, negated },
    {
      label: `${negated ? '-' : ''}channel: ${channel.name}`,
      ...(subscription === null && { hint: t('Not joined') }),
      icon: <ChannelIcon channel={subscription ?? channel} />,
    },
  )
}

function toEntry(
  filter: SearchFilter,
  { label, hint, icon }: { label?: string; hint?: string; icon?: ReactNode } = {},
): SearchSuggestion {
  const { operator, operand, negated } = filter
  return {
    id: `add ${operator}:${operand}`,
    label: label ?? `${negated ? '-' : ''}${operator}:${operand}`,
    ...(hint !== undefined && { hint }),
    icon: icon ?? <Search className="icon" aria-hidden="true" />,
    does: { kind: 'add', filter },
  }
}
