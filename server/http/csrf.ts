import type { KeyObject } from 'node:crypto'
import { equalSecrets } from '../base/secrets.ts'
import { csrfToken, type Session } from '../sessions/session.ts'
import { csrfFailed } from './refusals.ts'
import type { Exchange } from './wire/exchange.ts'

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Refuses what a page of another site makes a browser send. Browsers say by themselves where a request comes from, and
 * scripts cannot change what they say; a program that says nothing is no browser.
 */
export function requireSameSite({ method, headers, host }: Pick<Exchange, 'method' | 'headers' | 'host'>): void {
  if (isSafe(method)) return
  const site = headers['sec-fetch-site']
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw csrfFailed({ reason: 'The request comes from another site.' })
    return
  }
  const { origin } = headers
  // Behind a proxy that speaks TLS the scheme that we see is another one.
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host)
    throw csrfFailed({ reason: 'The request comes from another site.' })
}

/** Refuses an unsafe request of a session that does not bring the session's token along. */
export function requireCsrfToken(secret: KeyObject, session: Session, method: string, given: string | undefined): void {
  if (isSafe(method)) return
  if (given === undefined) throw csrfFailed({ reason: 'The CSRF token is missing.' })
  if (!equalSecrets(given, csrfToken(secret, session))) throw csrfFailed({ reason: 'The CSRF token is not valid.' })
}
