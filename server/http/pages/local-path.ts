import type { HttpRequest } from '../wire/http-types.ts'

/** Returns an address of this server for a redirect, or '/' if it is invalid or leads to another server. */
export function localPath(given: string): string {
  if (!given.startsWith('/') || given.length > 2000) return '/'
  const here = 'http://here.invalid'
  if (!URL.canParse(given, here)) return '/'
  const { origin, pathname, search, hash } = new URL(given, here)
  // A path with two leading slashes, even after dots between them are removed, leads to another host.
  return origin !== here || pathname.startsWith('//') ? '/' : pathname + search + hash
}

/** Returns the path and query of a request, so that the browser can request it again. */
export function addressWithQuery({ path, query }: Pick<HttpRequest, 'path' | 'query'>): string {
  return query.size === 0 ? path : `${path}?${new URLSearchParams([...query])}`
}
