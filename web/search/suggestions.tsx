import History from 'lucide-react/icons/history'
import Filter from 'lucide-react/icons/list-filter'
import Search from 'lucide-react/icons/search'
import { findListedChannel } from '../channels/listing.ts'
import { indexOfPeople } from '../composer/mention-suggestions.tsx'
import { topicTitle } from '../messages/narrow.ts'
import { filterText, findOperator, operandId, parseSearch, type SearchFilter } from '../messages/search-query.ts'
import { findPerson, type Organization } from '../store/organization.ts'
import { distinctName } from '../store/people.ts'
import { t } from '../text/t.ts'
import { rank } from '../ui/rank.ts'
import {
  findChannels,
  operandTitle,
  type SearchSuggestion,
  type SuggestionContext,
  type SuggestionSection,
  suggestOperands,
  toChannel,
  toPerson,
} from './operand-suggestions.tsx'
import { OPERATOR_HINTS } from './resolve-search.ts'
import { unfinishedName } from './typed-names.ts'

/** Returns the text that users see for a filter, with the current names of people and channels. */
export function filterLabel(filter: SearchFilter, organization: Organization): string {
  const { operator, operand } = filter
  const named = nameOf(filter, organization)
  if (named === null || operator === 'not') return filterText(filter)
  return `${filter.negated ? '-' : ''}${operator}: ${operator === 'topic' ? topicTitle(operand) : named}`
}

function nameOf({ operator, operand }: SearchFilter, organization: Organization): string | null {
  const personName = (one: string) => {
    const person = findPerson(organization, operandId(one) ?? 0)
    return person === undefined ? one : distinctName(person, organization.realm_users)
  }
  switch (operator) {
    case 'from':
    case 'dm-including':
      return personName(operand)
    case 'dm':
      return operand.split(',').map(personName).join(', ')
    case 'channel':
      return findListedChannel(organization, operandId(operand) ?? 0)?.channel.name ?? operand
    default:
      return operand
  }
}

/** The maximum number of people, and also of channels, in a list with other suggestions. */
const MAX_BESIDE = 3

/** A filter that is being typed at the end of the text. */
const UNFINISHED = /(?:^|\s)(-?)([a-z][a-z-]*):(?:"([^"]*)|([^\s"]*))$/i

/** The word that is being typed at the end of the text. */
const WORD = /(?:^|\s)(-?)([^\s":]*)$/

/** Returns the typed text without the filter or word that is being typed. */
export function withoutUnfinished(typed: string, organization: Organization): string {
  const name = unfinishedName(typed, organization)
  const rest =
    name === null ? typed.replace(UNFINISHED.test(typed) ? UNFINISHED : WORD, '') : typed.slice(0, name.start)
  return rest.trim()
}

/** Returns suggestions for the end of the typed text. */
export function suggestSearches(typed: string, context: SuggestionContext): SuggestionSection[] {
  const partial = unfinishedName(typed, context.organization)
  if (partial !== null) {
    const { operator, operand, negated } = partial
    const entries = suggestOperands(operator, operand, negated, context)
    return nonEmpty([{ id: 'operands', title: operandTitle(operator), entries }])
  }
  const [, minus, name, quoted, plain] = UNFINISHED.exec(typed) ?? []
  const operator = findOperator(name ?? '')
  if (operator !== null) {
    const entries = suggestOperands(operator, quoted ?? plain ?? '', minus === '-', context)
    return nonEmpty([{ id: 'operands', title: operandTitle(operator), entries }])
  }
  const [, sign = '', word = ''] = WORD.exec(typed) ?? []
  const search: SearchSuggestion = {
    // Ids of sections and entries must differ.
    id: 'search typed',
    label: t('Search for “{text}”', { text: typed.trim() }),
    icon: <Search className="icon" aria-hidden="true" />,
    does: { kind: 'search' },
  }
  return nonEmpty([
    { id: 'search', title: t('Search'), entries: typed.trim() === '' ? [] : [search] },
    { id: 'recent', title: t('Recent searches'), entries: typed === '' ? suggestRecent(context) : [] },
    {
      id: 'matches',
      title: t('People and channels'),
      entries: word === '' ? [] : suggestNamed(word, sign === '-', context),
    },
    { id: 'filters', title: t('Filters'), entries: suggestOperators(word, sign) },
  ])
}

const nonEmpty = (sections: readonly SuggestionSection[]) => sections.filter(({ entries }) => entries.length > 0)

const suggestRecent = ({ recent, organization, filters }: SuggestionContext): SearchSuggestion[] =>
  (filters.length > 0 ? [] : recent.slice(0, 5)).map((text) => ({
    id: `recent ${text}`,
    label: searchLabel(text, organization),
    icon: <History className="icon" aria-hidden="true" />,
    does: { kind: 'repeat', text },
  }))

/** Returns the text that users see for a search. */
export function searchLabel(text: string, organization: Organization): string {
  const { filters, words } = parseSearch(text)
  return [...filters.map((filter) => filterLabel(filter, organization)), words].filter(Boolean).join(' ')
}

const suggestOperators = (word: string, sign: string): SearchSuggestion[] =>
  OPERATOR_HINTS.filter(({ operator }) => operator.startsWith(word.toLowerCase())).map(({ operator, hint }) => ({
    id: `start ${operator}`,
    label: `${sign}${operator}:`,
    hint,
    icon: <Filter className="icon" aria-hidden="true" />,
    does: { kind: 'start', text: `${sign}${operator}:` },
  }))

/** Suggests people and channels for a word without an operator. */
function suggestNamed(word: string, negated: boolean, { organization }: SuggestionContext): SearchSuggestion[] {
  const people = rank(indexOfPeople(organization.realm_users), word, MAX_BESIDE)
  const channels = findChannels(word, organization).slice(0, MAX_BESIDE)
  return [
    ...people.map((person) => toPerson('from', person, organization, negated)),
    ...channels.map((channel) => toChannel(channel, negated)),
  ]
}
