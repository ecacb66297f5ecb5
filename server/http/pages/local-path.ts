import type { HttpRequest } from '../wire/http-types.ts'

/** An address of ours that somebody is to be led to: '/' for one that would lead elsewhere, or is none. */
export function localPath(given: string): string {
  if (!given.startsWith('/') || given.length > 2000) return '/'
  const here = 'http://here.invalid'
  if (!URL.canParse(given, here)) return '/'
  const { origin, pathname, search, hash } = new URL(given, here)
  // What two slashes begin with, also after the dots between them are gone, is another host.
  return origin !== here || pathname.startsWith('//') ? '/' : pathname + search + hash
}

/** What a request asked for, so that it can be asked for again. */
export function addressWithQuery({ path, query }: Pick<HttpRequest, 'path' | 'query'>): string {
  return query.size === 0 ? path : `${path}?${new URLSearchParams([...query])}`
}
