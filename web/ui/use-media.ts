import { createAtom, type ReadonlyAtom, useSelector } from '@tanstack/react-store'

/** Windows with a single column and with the navigation at the bottom. */
export const PHONE = '(max-width: 45rem)'

/** Screens that are mainly used by touch. They have no pointer that could rest on an element. */
export const TOUCH = '(pointer: coarse)'

/** Windows where the sidebar fits beside the page. On narrower windows, the sidebar is a drawer. */
export const WITH_SIDEBAR = '(min-width: 60rem)'

/** Windows where a second pane fits beside the page, opposite the sidebar. */
export const WITH_RIGHT_PANE = '(min-width: 75rem)'

/** Media queries by their text, so that hundreds of rows share one. */
const queries = new Map<string, ReadonlyAtom<boolean>>()

function mediaQuery(text: string): ReadonlyAtom<boolean> {
  const known = queries.get(text)
  if (known !== undefined) return known
  const list = matchMedia(text)
  const query = createAtom(list.matches)
  list.addEventListener('change', () => query.set(list.matches))
  queries.set(text, query)
  return query
}

/** Returns true while a media query such as `(min-width: 75rem)` matches. */
export const useMedia = (query: string): boolean => useSelector(mediaQuery(query))
