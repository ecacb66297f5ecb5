import type { Narrow } from '../../store/messages/narrow.ts'

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
