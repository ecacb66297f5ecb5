import type { Realm } from '../../organizations/realms/realm.ts'
import type { Services } from '../endpoint.ts'
import type { SignedIn } from '../session-actor.ts'
import type { HttpRequest, HttpResponse } from '../wire/http-types.ts'

/** Whoever looks at a page, when they are signed in. */
export type Visitor = SignedIn & {
  /** What the forms of pages for people who are signed in send back as `csrf_token`; see `csrfField`. */
  csrfToken: string
}

/** One request for a page. */
export type PageCall = Services & {
  /** The organization that the Host header means; null when there is none. */
  realm: Realm | null
  /** Null for people who are not signed in here. */
  visitor: Visitor | null
} & Pick<HttpRequest, 'host' | 'path' | 'query' | 'remoteAddress'>

/** One at an organization that is open. */
export type RealmPageCall = PageCall & { realm: Realm }

type CallBy = {
  anyone: PageCall
  'anyone here': RealmPageCall
  user: RealmPageCall & { visitor: Visitor }
}

type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** A page or the target of a form, outside the API: routing and the checks of the tests derive from this value. */
export type Page = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly who: 'anyone' | 'anyone here' | 'user'
  readonly fields: readonly string[]
  readonly handle: (call: never, values: never) => Promise<HttpResponse> | HttpResponse
}

type Declaration<Route extends string, Who extends Page['who'], Field extends string> = {
  /** Method and path: `GET /join/{key}/`. A path with a slash at its end is found without it, too. */
  route: Route
  /**
   * `anyone`, wherever the page is asked for; `anyone here`, where it is at an organization that is open; or a `user`:
   * people who are not signed in are led to where they sign in, and forms must hold `csrfField`.
   */
  who: Who
  /** What the form sends; the handler gets each as text, '' when it is missing. */
  fields?: readonly Field[]
  handle(
    call: CallBy[Who],
    values: { readonly [Name in Field | PathNames<Route>]: string },
  ): Promise<HttpResponse> | HttpResponse
}

/** Declares a page. A form that another site sends never arrives here: see `requireSameSite`. */
export function page<
  const Route extends `${'GET' | 'POST'} /${string}`,
  Who extends Page['who'],
  const Field extends string = never,
>({ route, who, fields = [], handle: answer }: Declaration<Route, Who, Field>): Page {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string]
  return { method, path, who, fields, handle: answer as Page['handle'] }
}
