import type { AccountTypes } from './authentication.ts'
import type { Services } from './endpoint.ts'
import type { HttpRequest, HttpResponse } from './http-types.ts'
import { CONTENT_POLICIES } from './security-headers.ts'

// A page as one value, like an endpoint: its route, visitors, form fields and handler. Before the handler runs, forms
// of other sites are refused, and so are forms of logged-in users without the CSRF token (site/page-dispatch.ts).

/** A logged-in user who visits a page. */
export type Visitor = Pick<AccountTypes, 'actor' | 'session'> & {
  /** The value that forms for logged-in users must send as `csrf_token`; see `csrfField`. */
  csrfToken: string
}

/** A request for a page. */
export type PageCall = Services & {
  /** The organization that the Host header names; null if there is none. */
  realm: AccountTypes['realm'] | null
  /** Null if the user is not logged in here. */
  visitor: Visitor | null
  /** The User-Agent header as sent, or ''. */
  userAgent: string
} & Pick<HttpRequest, 'host' | 'path' | 'query' | 'rawQuery' | 'headers' | 'remoteAddress' | 'peerAddress'>

/** A request for a page of an active organization. */
export type RealmPageCall = PageCall & { realm: AccountTypes['realm'] }

type CallBy = {
  anyone: PageCall
  'anyone here': RealmPageCall
  user: RealmPageCall & { visitor: Visitor }
}

type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** A page or the target of a form, outside the API. The router and the checks of the tests derive from this value. */
export type Page = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly who: 'anyone' | 'anyone here' | 'user'
  readonly fields: readonly string[]
  readonly acceptsOtherSites: boolean
  readonly needsProof: boolean
  readonly handle: (call: never, values: never) => Promise<HttpResponse> | HttpResponse
}

type Declaration<Route extends string, Who extends Page['who'], Field extends string> = {
  /** Method and path, such as `GET /join/{key}/`. A path with a trailing slash is found without it as well. */
  route: Route
  /**
   * `anyone` at any host, `anyone here` at an active organization, or a logged-in `user`. For `user`, other visitors
   * are redirected to the login page, and forms must contain `csrfField`.
   */
  who: Who
  /** The fields of the form. The handler gets each as text, '' if it is missing. */
  fields?: readonly Field[]
  /** True if forms of other sites are accepted. The handler must not use the session. */
  acceptsOtherSites?: boolean
  /** True if the form needs a proof of work (`proofOf`), which is checked before the handler runs. */
  needsProof?: boolean
  handle(
    call: CallBy[Who],
    values: { readonly [Name in Field | PathNames<Route>]: string },
  ): Promise<HttpResponse> | HttpResponse
}

/** Declares a page. Forms from other sites are refused before the handler runs; see `requireSameSite`. */
export function page<
  const Route extends `${'GET' | 'POST'} /${string}`,
  Who extends Page['who'],
  const Field extends string = never,
>({
  route,
  who,
  fields = [],
  acceptsOtherSites = false,
  needsProof = false,
  handle: answer,
}: Declaration<Route, Who, Field>): Page {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string]
  return { method, path, who, fields, acceptsOtherSites, needsProof, handle: answer as Page['handle'] }
}

/**
 * Returns HTML that is not a page of this server, such as an email. It runs nothing, loads nothing, and has no origin.
 */
export function isolatedPage(html: string): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': CONTENT_POLICIES.isolatedHtml,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
    body: html,
  }
}

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

type Installation = { readonly EXTERNAL_URL: string }

const isSecure = ({ EXTERNAL_URL }: Installation) => EXTERNAL_URL.startsWith('https:')

/**
 * Returns the name of a cookie of this server. Over HTTPS, the `__Host-` prefix makes browsers accept the cookie only from
 * this host. Over plain HTTP, browsers would reject the prefix.
 */
export const cookieName = (settings: Installation, name: string): string =>
  `${isSecure(settings) ? '__Host-' : ''}parley_${name}`

/**
 * Returns the Set-Cookie header of a cookie that only this server can read. It is kept for `maxAge` seconds, and without
 * them until the browser is closed. Without a value, it is deleted.
 */
export function setCookie(settings: Installation, name: string, value: string, maxAge?: number): string {
  const age = value === '' ? 0 : maxAge
  return `${cookieName(settings, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}${
    age === undefined ? '' : `; Max-Age=${age}`
  }`
}

/** Returns the value of a cookie that `setCookie` set; null if there is none. */
export function readCookie(
  settings: Installation,
  { headers }: Pick<HttpRequest, 'headers'>,
  name: string,
): string | null {
  const prefix = `${cookieName(settings, name)}=`
  const pair = headers.cookie?.split(';').find((text) => text.trim().startsWith(prefix))
  return pair?.trim().slice(prefix.length) || null
}

/** Returns the response with further cookies. */
export function withCookies(response: HttpResponse, cookies: readonly string[]): HttpResponse {
  const own = response.headers['set-cookie'] ?? []
  return { ...response, headers: { ...response.headers, 'set-cookie': [own, cookies].flat() } }
}
