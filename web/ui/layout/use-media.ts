import { useSyncExternalStore } from 'react'

type MediaQuery = { subscribe: (listener: () => void) => () => void; matches: () => boolean }

/** Media queries by their text: hundreds of rows share one. */
const queries = new Map<string, MediaQuery>()

function mediaQuery(text: string): MediaQuery {
  const known = queries.get(text)
  if (known !== undefined) return known
  const list = matchMedia(text)
  const query: MediaQuery = {
    subscribe(listener) {
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    matches: () => list.matches,
  }
  queries.set(text, query)
  return query
}

/** Returns true while a media query such as `(min-width: 75rem)` matches. */
export function useMedia(query: string): boolean {
  const { subscribe, matches } = mediaQuery(query)
  return useSyncExternalStore(subscribe, matches)
}
