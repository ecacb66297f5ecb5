import { readNarrow } from './current-narrow.ts'

const pathOf = (pathname: string) => (pathname === '/' ? pathname : pathname.replace(/\/$/, ''))

/** Returns true if the page can show the people of a conversation beside it. */
export function hasPeople(pathname: string, search: Record<string, unknown>): boolean {
  const kind = readNarrow(pathOf(pathname), search)?.kind
  return kind === 'channel' || kind === 'topic' || kind === 'direct'
}
