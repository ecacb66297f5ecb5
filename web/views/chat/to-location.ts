import type { Narrow } from '../../store/messages/narrow.ts'

/** Search parameters of a narrow. */
export type NarrowSearch = { topic?: string; near?: number; words?: string; channel?: number; sender?: number }

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
    case 'search': {
      const { words: text, channelId: channel, senderId: sender } = narrow
      return {
        to: '/search',
        search: {
          words: text,
          ...(channel !== undefined && { channel }),
          ...(sender !== undefined && { sender }),
          ...search,
        },
      }
    }
    default:
      return { to: `/${narrow.kind}`, search }
  }
}

/** Reads the search parameters of a narrow; invalid ones are ignored. */
export function readNarrowSearch(given: Record<string, unknown>): NarrowSearch {
  const { topic, words: text, near, channel, sender } = given
  const texts = { topic, words: text }
  const numbers = { near, channel, sender }
  return Object.fromEntries([
    // A topic that looks like a number is parsed as one.
    ...Object.entries(texts).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
    ...Object.entries(numbers).flatMap(([name, value]) =>
      Number.isSafeInteger(Number(value ?? '')) && Number(value) > 0 ? [[name, Number(value)]] : [],
    ),
  ])
}
