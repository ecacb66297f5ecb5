import type { Clock } from '#lib/clock.ts'

/** A GIF with the addresses of the provider. `still` is a picture that does not move. */
export type FoundGif = {
  id: string
  title: string
  url: string
  preview: string
  still: string | null
  width: number
  height: number
}

/** One page of results; `next` is the position of the next page, or null at the end. */
export type FoundGifs = { gifs: FoundGif[]; next: string | null }

/** Remembers results for an hour, since providers limit the searches of a key. */
export type GifCache = {
  find(key: string): FoundGifs | null
  add(key: string, found: FoundGifs): void
}

const LIFETIME = 3600

/** Beyond this many searches, the one that was added first is forgotten. */
const MAX_SEARCHES = 300

export function openGifCache(clock: Clock): GifCache {
  const known = new Map<string, { found: FoundGifs; until: number }>()
  return {
    find(key) {
      const entry = known.get(key)
      return entry !== undefined && clock.now() < entry.until ? entry.found : null
    },
    add(key, found) {
      known.delete(key)
      known.set(key, { found, until: clock.now() + LIFETIME })
      const [oldest] = known.keys()
      if (known.size > MAX_SEARCHES && oldest !== undefined) known.delete(oldest)
    },
  }
}
