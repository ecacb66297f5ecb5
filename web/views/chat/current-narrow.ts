import { useLocation } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Feed, Narrow } from '../../store/messages/narrow.ts'
import { readNarrowSearch } from './to-location.ts'

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
