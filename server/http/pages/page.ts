import type { Realm } from '#realms/realm.ts'
import type { SignedIn } from '../auth/session-actor.ts'
import type { Services } from '../endpoint.ts'
import type { HttpRequest, HttpResponse } from '../wire/http-types.ts'

/** A logged-in user who visits a page. */
export type Visitor = SignedIn & {
  /** The value that forms for logged-in users must send as `csrf_token`; see `csrfField`. */
  csrfToken: string
}

/** A request for a page. */
export type PageCall = Services & {
  /** The organization that the Host header names; null if there is none. */
  realm: Realm | null
  /** Null if the user is not logged in here. */
  visitor: Visitor | null
  /** The User-Agent header as sent, or ''. */
  userAgent: string
} & Pick<HttpRequest, 'host' | 'path' | 'query' | 'remoteAddress'>

/** A request for a page of an active organization. */
export type RealmPageCall = PageCall & { realm: Realm }

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
>({ route, who, fields = [], handle: answer }: Declaration<Route, Who, Field>): Page {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string]
  return { method, path, who, fields, handle: answer as Page['handle'] }
}
