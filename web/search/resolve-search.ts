import { plainName } from '#rules/plain-name.ts'
import { findListedChannel, listedChannels } from '../channels/listing.ts'
import {
  namedOperand,
  operandId,
  type SearchFilter,
  type SearchOperator,
  type SearchQuery,
  startOfDay,
} from '../messages/search-query.ts'
import { findPerson, type Organization, type Person } from '../store/organization.ts'
import { t } from '../text/t.ts'

/** An operand of an operator that accepts only a few fixed operands. */
type Choice = { readonly value: string; readonly hint: string }

/** The operators that accept only a few fixed operands. */
type ChoiceOperator = 'has' | 'is' | 'in' | 'channels'

export const CHOICES: Readonly<Record<ChoiceOperator, readonly Choice[]>> = {
  has: [
    { value: 'link', hint: t('Messages with a link') },
    { value: 'image', hint: t('Messages with an image') },
    { value: 'attachment', hint: t('Messages with an uploaded file') },
    { value: 'reaction', hint: t('Messages with a reaction') },
  ],
  is: [
    { value: 'unread', hint: t('Messages that you haven’t read') },
    { value: 'starred', hint: t('Messages that you starred') },
    { value: 'mentioned', hint: t('Messages that mention you') },
    { value: 'alerted', hint: t('Messages with one of your alert words') },
    { value: 'dm', hint: t('Direct messages') },
    { value: 'followed', hint: t('Topics that you follow') },
    { value: 'resolved', hint: t('Resolved topics') },
    { value: 'muted', hint: t('Muted channels and topics') },
  ],
  in: [
    { value: 'home', hint: t('Everything that you haven’t muted') },
    { value: 'all', hint: t('Everything, including what you muted') },
  ],
  channels: [
    { value: 'public', hint: t('All public channels, including those you haven’t joined') },
    { value: 'web-public', hint: t('Web-public channels') },
  ],
}

/** The operators with their hints, in the order in which they are suggested. */
export const OPERATOR_HINTS: readonly { readonly operator: Exclude<SearchOperator, 'not'>; readonly hint: string }[] = [
  { operator: 'from', hint: t('Sent by a person') },
  { operator: 'channel', hint: t('In a channel') },
  { operator: 'topic', hint: t('In a topic') },
  { operator: 'dm', hint: t('Direct messages with a person') },
  { operator: 'has', hint: t('With a link, image, file or reaction') },
  { operator: 'is', hint: t('Unread, starred, mentioned, resolved…') },
  { operator: 'after', hint: t('Sent on or after a date') },
  { operator: 'before', hint: t('Sent before a date') },
  { operator: 'dm-including', hint: t('Direct and group messages that include a person') },
  { operator: 'in', hint: t('Include or exclude muted conversations') },
  { operator: 'channels', hint: t('In all public channels') },
  { operator: 'near', hint: t('Results around a message ID') },
  { operator: 'id', hint: t('A single message, by ID') },
  { operator: 'with', hint: t('The conversation of a message, by ID') },
]

/** Returns true if the operator accepts only a few fixed operands. */
export const isChoiceOperator = (operator: SearchOperator): operator is ChoiceOperator =>
  Object.hasOwn(CHOICES, operator)

/** A filter in the form that the API understands. `problem` says why it can't be understood; null if it can. */
export type ResolvedFilter = { readonly filter: SearchFilter; readonly problem: string | null }

type Found<Item> = { item: Item } | { problem: string }

/** Replaces names with ids and words such as "yesterday" with dates, and finds filters that cannot be understood. */
export function resolveSearch(query: SearchQuery, organization: Organization): ResolvedFilter[] {
  return query.filters.map((given) => {
    const filter = withUsualNames(given)
    const found = resolveOperand(filter, organization)
    return 'problem' in found
      ? { filter: given, problem: found.problem }
      : { filter: { ...filter, operand: found.item }, problem: null }
  })
}

/** Reads `is:private` as `is:dm`, and `in:design` as `channel:design`, as in other chat apps. */
function withUsualNames(filter: SearchFilter): SearchFilter {
  const { operator, operand } = filter
  if (operator === 'is' && operand.toLowerCase() === 'private') return { ...filter, operand: 'dm' }
  const isScope = operand === '' || CHOICES.in.some(({ value }) => value === operand.toLowerCase())
  return operator === 'in' && !isScope ? { ...filter, operator: 'channel' } : filter
}

function resolveOperand({ operator, operand }: SearchFilter, organization: Organization): Found<string> {
  if (operand === '' && operator !== 'topic') return { problem: t('Enter a value after “{operator}:”.', { operator }) }
  switch (operator) {
    case 'from':
    case 'dm-including':
      return mapFound(findNamedPerson(operand, organization), personOperand)
    case 'dm': {
      const found = operand.split(',').map((name) => findNamedPerson(name.trim(), organization))
      const failed = found.find((one) => 'problem' in one)
      return failed ?? { item: found.flatMap((one) => ('item' in one ? [personOperand(one.item)] : [])).join(',') }
    }
    case 'channel':
      return findNamedChannel(operand, organization)
    case 'before':
    case 'after': {
      const date = toDate(operand)
      return date === null
        ? { problem: t('“{operand}” isn’t a date. Use a date such as 2026-01-31, or “yesterday”.', { operand }) }
        : { item: date }
    }
    case 'near':
    case 'id':
    case 'with':
      return operandId(operand) === null
        ? { problem: t('“{operand}” isn’t a message ID.', { operand }) }
        : { item: operand }
    case 'topic':
    case 'not':
      return { item: operand }
    default: {
      const choice = operand.toLowerCase()
      const choices = CHOICES[operator].map(({ value }) => value)
      return choices.includes(choice)
        ? { item: choice }
        : {
            problem: t('“{operator}:{operand}” doesn’t exist. Try {choices}.', {
              operator,
              operand,
              choices: choices.join(', '),
            }),
          }
    }
  }
}

const mapFound = <From, To>(found: Found<From>, map: (item: From) => To): Found<To> =>
  'problem' in found ? found : { item: map(found.item) }

export const personOperand = ({ user_id, full_name }: Person): string => namedOperand(user_id, full_name)

/** Finds a person by "me" or the full name, or else by id, email address, or the start of a word of the name. */
function findNamedPerson(operand: string, organization: Organization): Found<Person> {
  const { user_id, realm_users, realm_non_active_users, cross_realm_bots } = organization
  const wanted = plainName(operand)
  const byId = findPerson(organization, wanted === 'me' ? user_id : (operandId(operand) ?? 0))
  const everyone = [...realm_users, ...realm_non_active_users, ...cross_realm_bots]
  const exact = everyone.filter(({ full_name }) => plainName(full_name) === wanted)
  const byAddress = everyone.filter(({ email, delivery_email }) => email === wanted || delivery_email === wanted)
  const starting = realm_users.filter(({ full_name }) => ` ${plainName(full_name)}`.includes(` ${wanted}`))
  const candidates =
    [exact, byId === undefined ? [] : [byId], byAddress, starting].find(({ length }) => length > 0) ?? []
  const [person, other] = candidates
  if (person === undefined) return { problem: t('No one matches “{name}”.', { name: operand }) }
  return other === undefined
    ? { item: person }
    : { problem: t('Several people match “{name}”. Choose one of the suggestions.', { name: operand }) }
}

function findNamedChannel(operand: string, organization: Organization): Found<string> {
  const wanted = plainName(operand.replace(/^#/, ''))
  const all = listedChannels(organization).map(({ channel }) => channel)
  const byName = (matches: (name: string) => boolean) => all.filter(({ name }) => matches(plainName(name)))
  const byId = findListedChannel(organization, operandId(operand) ?? 0)?.channel
  const candidates = [
    byName((name) => name === wanted),
    byId === undefined ? [] : [byId],
    byName((name) => name.startsWith(wanted)),
  ].find(({ length }) => length > 0)
  const [channel, other] = candidates ?? []
  if (channel === undefined)
    return { problem: t('There is no channel “{name}”, or you can’t see it.', { name: operand }) }
  return other === undefined
    ? { item: namedOperand(channel.stream_id, channel.name) }
    : { problem: t('Several channels match “{name}”. Choose one of the suggestions.', { name: operand }) }
}

/** Returns the day that an operand names, as in `2026-01-31`; null if it names none. */
export function toDate(operand: string, today = new Date()): string | null {
  const word = operand.toLowerCase()
  if (word === 'today') return dateText(today, 0)
  if (word === 'yesterday') return dateText(today, 1)
  const days = /^(\d{1,4})d$/.exec(word)?.[1]
  if (days !== undefined) return dateText(today, Number(days))
  const start = startOfDay(operand)
  return start === null ? null : dateText(new Date(start * 1000), 0)
}

/** Returns the day that is `ago` days before a date, as in `2026-01-31`. */
export function dateText(date: Date, ago: number): string {
  const day = new Date(date.getFullYear(), date.getMonth(), date.getDate() - ago)
  const pad = (number: number, length: number) => String(number).padStart(length, '0')
  return `${pad(day.getFullYear(), 4)}-${pad(day.getMonth() + 1, 2)}-${pad(day.getDate(), 2)}`
}
