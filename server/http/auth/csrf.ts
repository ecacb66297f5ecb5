import type { KeyObject } from 'node:crypto'
import { equalSecrets } from '#lib/security/secrets.ts'
import { csrfToken, type Session } from '#people/sessions/session.ts'
import { csrfFailed } from '../refusals.ts'
import type { HttpRequest } from '../wire/http-types.ts'

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Refuses requests that a page of another site makes a browser send. Browsers name the origin of a request in headers
 * that scripts cannot change. A request without these headers does not come from a browser.
 */
export function requireSameSite({ method, headers, host }: Pick<HttpRequest, 'method' | 'headers' | 'host'>): void {
  if (isSafe(method)) return
  const { 'sec-fetch-site': site, origin } = headers
  const isResponsible = site === undefined ? isFrom(origin, host) : site === 'same-origin' || site === 'none'
  if (!isResponsible) throw csrfFailed({ reason: 'The request comes from another site.' })
}

/** Compares only the host, because the scheme differs behind a proxy that terminates TLS. */
const isFrom = (origin: string | undefined, host: string) =>
  origin === undefined || origin.replace(/^https?:\/\//, '') === host

/** Refuses an unsafe session request that lacks the session's CSRF token or has a wrong one. */
export function requireCsrfToken(secret: KeyObject, session: Session, method: string, given: string | undefined): void {
  if (isSafe(method)) return
  if (given === undefined) throw csrfFailed({ reason: 'The CSRF token is missing.' })
  if (!equalSecrets(given, csrfToken(secret, session))) throw csrfFailed({ reason: 'The CSRF token is not valid.' })
}
