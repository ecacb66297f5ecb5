import { readNarrow } from './current-narrow.ts'

const LISTS: ReadonlySet<string> = new Set(['/chats', '/dm', '/drafts', '/inbox', '/recent', '/scheduled'])

const TOPICS = /^\/channels\/\d+\/topics$/

const pathOf = (pathname: string) => (pathname === '/' ? pathname : pathname.replace(/\/$/, ''))

/** Returns true if the page has its own header and scrolls by itself; other pages scroll as a whole. */
export function isChatPage(pathname: string, search: Record<string, unknown>): boolean {
  const path = pathOf(pathname)
  return LISTS.has(path) || TOPICS.test(path) || readNarrow(path, search) !== null
}

/** Returns true if the page can show the people of a conversation beside it. */
export function hasPeople(pathname: string, search: Record<string, unknown>): boolean {
  const kind = readNarrow(pathOf(pathname), search)?.kind
  return kind === 'channel' || kind === 'topic' || kind === 'direct'
}
