import type { Narrow } from '../../store/messages/narrow.ts'

/** What an address says of a narrow beside its path. */
export type NarrowSearch = { topic?: string; near?: number; words?: string; channel?: number; sender?: number }

/** Where a narrow is shown; `near` leads to a message in it. */
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

/** What an address says of a narrow, as far as it makes sense. */
export function readNarrowSearch(given: Record<string, unknown>): NarrowSearch {
  const { topic, words: text, near, channel, sender } = given
  const texts = { topic, words: text }
  const numbers = { near, channel, sender }
  return Object.fromEntries([
    // A topic may look like a number, which the address then holds as one.
    ...Object.entries(texts).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
    ...Object.entries(numbers).flatMap(([name, value]) =>
      Number.isSafeInteger(Number(value ?? '')) && Number(value) > 0 ? [[name, Number(value)]] : [],
    ),
  ])
}
