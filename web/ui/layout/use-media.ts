import { createStore, type Readable } from '../create-store.ts'

/** Media queries by their text, so that hundreds of rows share one. */
const queries = new Map<string, Readable<boolean>>()

function mediaQuery(text: string): Readable<boolean> {
  const known = queries.get(text)
  if (known !== undefined) return known
  const list = matchMedia(text)
  const query = createStore(list.matches)
  list.addEventListener('change', () => query.set(list.matches))
  queries.set(text, query)
  return query
}

/** Returns true while a media query such as `(min-width: 75rem)` matches. */
export const useMedia = (query: string): boolean => mediaQuery(query).use()
