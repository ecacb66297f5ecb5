import type { AuthMethod, HttpRequest, ResponseHeaders } from './http-types.ts'
import { csrfFailed } from './refusals.ts'

// The interface by which the server learns who sent a request. This module knows no accounts: people/authentication.ts
// finds them, declares what calls and pages get of them (`AccountTypes`), and is handed in as
// `Services.authentication`. Limits and rules about callers need no more than a `Sender`. A request under /api/v1 has
// an API key, one under /json a session; other requests have either.

/** The types of what calls know about accounts. The module that authenticates adds `actor`, `session` and `realm`. */
// biome-ignore lint/suspicious/noEmptyInterface: other files extend it
// biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended by other files
export interface AccountTypes {}

/** The account that sent a request, as far as limits and rules about callers need it. */
export type Sender = {
  readonly id: number
  readonly realmId: number
  /** The user whose limits apply: for a bot, its owner. */
  readonly personId: number
  readonly isBot: boolean
  readonly isGuest: boolean
}

/** An authenticated caller. */
export type Caller = {
  readonly sender: Sender
  readonly actor: AccountTypes['actor']
  /** The session of the actor; null for calls with an API key. */
  readonly session: AccountTypes['session'] | null
  /** Refuses if the credentials of the call are no longer valid; synchronously unless a query is needed. */
  readonly reauthenticate: () => unknown
}

/** A visitor without an account, whom access functions know by the `actor`. */
export type Spectator = Pick<Caller, 'actor'> & { readonly isSpectator: true }

/** The part of a request that says who sent it. It is known before the body is read. */
export type RequestHead = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'host'>

/** Finds the senders of requests. Results are synchronous unless they need a query. */
export type Authentication = {
  /**
   * Authenticates a call. Records the use of a key, and extends a session that is due, with its cookie in `headers`. All
   * other functions write nothing.
   */
  requireCaller(
    head: RequestHead,
    authMethod: AuthMethod,
    headers: ResponseHeaders,
    options: { allowsWebhookBots: boolean },
  ): Caller | Promise<Caller>
  /** Returns the spectator of a request without a session. Refuses unless the organization at the host allows spectators. */
  requireSpectator(head: RequestHead): Promise<Spectator>
  /**
   * Authenticates an incoming-webhook bot by its API key alone, which other services have in their URL; by the headers if
   * `key` is undefined. Refuses all other accounts.
   */
  requireWebhookBot(head: RequestHead, key: string | undefined): Caller | Promise<Caller>
  /** Returns the account of an API key, or refuses. */
  requireKeyHolder(head: RequestHead, key: string): Sender | Promise<Sender>
  /** Returns the sender, or refuses like `requireCaller`. Webhook bots are allowed. */
  requireSender(head: RequestHead, authMethod: AuthMethod): Sender | Promise<Sender>
  /** Returns the account of the credentials, even if another site sent them; null if they are missing or not valid. */
  findSender(head: RequestHead, authMethod: AuthMethod): Promise<Sender | null>
  /** Returns the user of a session, even of an expired one; null if there is none, or if finding it needs a query. */
  findKnownSessionUser(head: RequestHead): number | null
  /**
   * Returns the active organization whose directory sent the request, by its bearer token. Refuses a token of another
   * organization than that of the Host header like a wrong one.
   */
  requireDirectory(head: RequestHead): Promise<AccountTypes['realm']>
  /** Returns the organization that the Host header names; null if there is none. */
  findAddressedRealm(
    head: Pick<RequestHead, 'host'>,
  ): AccountTypes['realm'] | null | Promise<AccountTypes['realm'] | null>
}

const PREFIXES: readonly (readonly [AuthMethod, string])[] = [
  ['key', '/api/v1'],
  ['session', '/json'],
]

/** Returns whether a path belongs to SCIM, where directories of organizations send requests with a bearer token. */
export const isScimPath = (path: string): boolean => path === '/scim/v2' || path.startsWith('/scim/v2/')

/** Returns the paths of an endpoint, one under each prefix of the API. */
export const pathsUnder = (path: string): string[] => PREFIXES.map(([, prefix]) => prefix + path)

/** Returns the path of the endpoint and the authentication method of a request; null outside the API. */
export function readApiPath(path: string): { authMethod: AuthMethod; path: string } | null {
  for (const [authMethod, prefix] of PREFIXES)
    if (path.startsWith(prefix) && (authMethod === 'key' || path.charAt(prefix.length) === '/'))
      return { authMethod, path: path.slice(prefix.length) }
  return null
}

/** Returns the authentication method of a request outside the API: a key if there is one, else a session. */
export const authMethodOf = ({ headers }: Pick<HttpRequest, 'headers'>): AuthMethod =>
  headers.authorization === undefined ? 'session' : 'key'

/** Returns whether a request with this method changes nothing. */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Refuses requests that a page of another site makes a browser send. Browsers name the origin of a request in headers
 * that scripts cannot change. A request without these headers does not come from a browser.
 */
export function requireSameSite({ method, headers, host }: RequestHead): void {
  if (isSafe(method)) return
  const { 'sec-fetch-site': site, origin } = headers
  const isResponsible = site === undefined ? isFrom(origin, host) : site === 'same-origin' || site === 'none'
  if (!isResponsible) throw csrfFailed({ reason: 'The request comes from another site.' })
}

/** Compares only the host, because the scheme differs behind a proxy that terminates TLS. */
const isFrom = (origin: string | undefined, host: string) =>
  origin === undefined || origin.replace(/^https?:\/\//, '') === host
