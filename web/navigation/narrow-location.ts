import { useLocation } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Feed, Narrow } from '../messages/narrow.ts'

/**
 * Search parameters of a narrow. `near` is a message to show. `with` is a message whose current conversation is shown,
 * even if the message was moved. `order` is the order of search results; without it, they are in chronological order.
 */
export type NarrowSearch = { topic?: string; near?: number; with?: number; q?: string; order?: 'relevance' }

/** Returns the location of a narrow; `near` is a message in it. */
export function toLocation(narrow: Narrow, near?: number): { to: string; search: NarrowSearch } {
  const search = near === undefined ? {} : { near }
  switch (narrow.kind) {
    case 'channel':
      return { to: `/channels/${narrow.channelId}`, search }
    case 'topic':
      return { to: `/channels/${narrow.channelId}`, search: { topic: narrow.topic, ...search } }
    case 'direct':
      return { to: `/dm/${narrow.people}`, search }
    case 'search':
      return { to: '/search', search: narrow.query === '' ? search : { q: narrow.query, ...search } }
    default:
      return { to: `/${narrow.kind}`, search }
  }
}

/** Reads the search parameters of a narrow. Invalid parameters are ignored. */
export function readNarrowSearch(given: Record<string, unknown>): NarrowSearch {
  const { topic, q, near, with: withId, order } = given
  return Object.fromEntries([
    // The router parses text that looks like a number as a number.
    ...Object.entries({ topic, q }).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
    ...Object.entries({ near, with: withId }).flatMap(([name, value]) => {
      const id = Number(value ?? '')
      return Number.isSafeInteger(id) && id > 0 ? [[name, id]] : []
    }),
    ...(order === 'relevance' ? [['order', order]] : []),
  ])
}

/** Returns the narrow of the current URL; null if the page is not a message view. */
export function useCurrentNarrow(): Narrow | null {
  const { pathname, search } = useLocation()
  return useMemo(() => readNarrow(pathname, search as Record<string, unknown>), [pathname, search])
}

/** Returns the narrow of a path and its search parameters; null if the path does not lead to a message view. */
export function readNarrow(pathname: string, search: Record<string, unknown>): Narrow | null {
  const { topic, q: query = '' } = readNarrowSearch(search)
  const [page = '', id = '', more] = pathname.split('/').slice(1)
  if (more !== undefined && more !== '') return null
  if (isFeed(page)) return id === '' ? { kind: page } : null
  if (page === 'channels' && /^\d+$/.test(id)) {
    const channelId = Number(id)
    return topic === undefined ? { kind: 'channel', channelId } : { kind: 'topic', channelId, topic }
  }
  if (page === 'dm') {
    const people = readPeople(id)
    return people === null ? null : { kind: 'direct', people }
  }
  return page === 'search' ? { kind: 'search', query } : null
}

const FEEDS: ReadonlySet<string> = new Set<Feed>(['mentions', 'starred', 'combined', 'direct-messages', 'reactions'])

const isFeed = (page: string): page is Feed => FEEDS.has(page)

/**
 * Returns the user ids in the last part of a path such as `/dm/3,5`, in ascending order; null if the part is malformed.
 */
export function readPeople(text: string): number[] | null {
  const ids = decodeURIComponent(text).split(',').map(Number)
  if (ids.some((id) => !Number.isSafeInteger(id) || id <= 0)) return null
  return [...new Set(ids)].sort((one, other) => one - other)
}

const pathOf = (pathname: string) => (pathname === '/' ? pathname : pathname.replace(/\/$/, ''))

/** Returns true if the page can show the people of a conversation beside it. */
export function hasPeople(pathname: string, search: Record<string, unknown>): boolean {
  const kind = readNarrow(pathOf(pathname), search)?.kind
  return kind === 'channel' || kind === 'topic' || kind === 'direct'
}
