import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { recentMessages } from '../messages/conversations.ts'
import {
  endsAfterPiece,
  filterText,
  operandId,
  parseSearch,
  type SearchFilter,
  searchText,
} from '../messages/search-query.ts'
import { channelTopics } from '../messages/topics.ts'
import { currentOrganization, type Organization, useOrganization } from '../store/organization.ts'
import { findMorePeople, useMorePeople } from '../store/people-on-demand.ts'
import { addRecentSearch } from './recent-searches.ts'
import { resolveSearch } from './resolve-search.ts'
import { quoteTypedNames, unfinishedName } from './typed-names.ts'

/** The maximum number of channels whose topics are loaded for suggestions. */
const MAX_CHANNELS = 20

/**
 * Returns the topics of the channel that the search is limited to, or else the topics of the user's channels, with the
 * latest ones first. The topics of the channels are loaded only if `isTyped` is true.
 */
export function useSearchTopics(filters: readonly SearchFilter[], isTyped: boolean): readonly string[] {
  const channel = filters.find(({ operator, negated }) => operator === 'channel' && !negated)
  const channelId = operandId(channel?.operand ?? '') ?? 0
  const { subscriptions } = useOrganization('subscriptions')
  const ofChannel = useQuery({ ...channelTopics(channelId), enabled: channelId > 0 }).data
  const latest = useQuery({ ...recentMessages, enabled: channelId === 0 }).data
  const others = useQueries({
    queries: (isTyped && channelId === 0 ? subscriptions : [])
      .filter(({ is_archived }) => !is_archived)
      .slice(0, MAX_CHANNELS)
      .map(({ stream_id }) => channelTopics(stream_id)),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  })
  return useMemo(() => {
    if (channelId > 0) return ofChannel?.map(({ name }) => name) ?? []
    const subjects = (latest?.messages ?? []).filter(({ type }) => type === 'stream').map(({ subject }) => subject)
    const byAge = others.toSorted((one, other) => other.max_id - one.max_id).map(({ name }) => name)
    return [...new Set([...subjects.toReversed(), ...byAge])]
  }, [channelId, ofChannel, latest, others])
}

/**
 * Returns the typed words and functions that change them. When the current search changes elsewhere, its words replace
 * the typed ones.
 */
export function useTypedSearch({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const organization = useOrganization()
  const [typed, setTyped] = useState(() => parseSearch(text).words)
  const known = useRef(text)
  useEffect(() => {
    if (known.current === text) return
    known.current = text
    setTyped(parseSearch(text).words)
  }, [text])

  useMorePeople(nameBeingTyped(typed, organization))

  /** Searches for filters and typed text, which can contain more filters. */
  async function search(filters: readonly SearchFilter[], next: string): Promise<void> {
    if (organization.user_list_incomplete === true) await fetchNamed(next)
    const current = currentOrganization() ?? organization
    const more = parseSearch(quoteTypedNames(next, current))
    const resolved = resolveSearch({ filters: [...filters, ...more.filters], words: more.words }, current)
    const unique = new Map(resolved.map(({ filter }) => [filterText(filter), filter]))
    const nextText = searchText({ filters: [...unique.values()], words: more.words })
    if (resolved.every(({ problem }) => problem === null) && nextText !== '') addRecentSearch(nextText)
    known.current = nextText
    setTyped(more.filters.length > 0 && /\s$/.test(next) && more.words !== '' ? `${more.words} ` : more.words)
    onSearch(nextText)
  }

  /** Handles typed text. A complete filter becomes a chip when the user types a space after it. */
  function change(filters: readonly SearchFilter[], value: string): void {
    const { filters: more } = parseSearch(value)
    // The name of a person or channel may go on after a space.
    if (unfinishedName(value, organization) !== null) setTyped(value)
    else if (endsAfterPiece(value) && more.length > 0 && more.every(({ operand }) => operand !== ''))
      void search(filters, value)
    else setTyped(value)
  }

  return { typed, setTyped, search, change }
}

/** Returns the name of a person that the user may be typing. */
function nameBeingTyped(typed: string, organization: Organization): string {
  const operand = unfinishedName(typed, organization)?.operand ?? /(?:^|[\s:])-?"?([^\s:"]*)$/.exec(typed)?.[1] ?? ''
  return operand.split(',').at(-1) ?? ''
}

/** Fetches the people whom the filters in the text name. */
async function fetchNamed(text: string): Promise<void> {
  const people = parseSearch(text).filters.filter(({ operator }) => NAMING_PEOPLE.has(operator))
  for (const name of people.flatMap(({ operand }) => operand.split(','))) await findMorePeople(name)
}

const NAMING_PEOPLE: ReadonlySet<string> = new Set(['from', 'dm', 'dm-including'])
