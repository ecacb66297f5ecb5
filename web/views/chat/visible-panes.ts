import { readNarrow } from './current-narrow.ts'

const LISTS: ReadonlySet<string> = new Set(['/', '/dm', '/drafts', '/inbox', '/recent', '/scheduled'])

/** Which panes belong beside a page: those of the chat, where the page is one of it; the start page fills the room of the second. */
export function visiblePanes(
  pathname: string,
  search: Record<string, unknown>,
): { conversations: boolean; people: boolean } {
  const path = pathname === '/' ? pathname : pathname.replace(/\/$/, '')
  const conversations = LISTS.has(path) || readNarrow(path, search) !== null
  return { conversations, people: conversations && path !== '/' }
}
