import type { KeyObject } from 'node:crypto'
import { csrfToken, type Session } from '../people/sessions/session.ts'
import { equalSecrets } from '../platform/security/secrets.ts'
import { csrfFailed } from './refusals.ts'
import type { HttpRequest } from './wire/http-types.ts'

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Refuses what a page of another site makes a browser send. Browsers say by themselves where a request comes from, and
 * scripts cannot change what they say; a program that says nothing is no browser.
 */
export function requireSameSite({ method, headers, host }: Pick<HttpRequest, 'method' | 'headers' | 'host'>): void {
  if (isSafe(method)) return
  const { 'sec-fetch-site': site, origin } = headers
  const isResponsible = site === undefined ? isFrom(origin, host) : site === 'same-origin' || site === 'none'
  if (!isResponsible) throw csrfFailed({ reason: 'The request comes from another site.' })
}

/** Behind a proxy that speaks TLS the scheme that we see is another one, so the host alone counts. */
const isFrom = (origin: string | undefined, host: string) =>
  origin === undefined || origin.replace(/^https?:\/\//, '') === host

/** Refuses an unsafe request of a session that does not bring the session's token along. */
export function requireCsrfToken(secret: KeyObject, session: Session, method: string, given: string | undefined): void {
  if (isSafe(method)) return
  if (given === undefined) throw csrfFailed({ reason: 'The CSRF token is missing.' })
  if (!equalSecrets(given, csrfToken(secret, session))) throw csrfFailed({ reason: 'The CSRF token is not valid.' })
}
