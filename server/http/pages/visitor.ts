import { csrfToken } from '#people/sessions/session.ts'
import { findSignedIn, renewWhenDue } from '../auth/session-actor.ts'
import type { Services } from '../endpoint.ts'
import type { HttpRequest, ResponseHeaders } from '../wire/http-types.ts'
import type { Visitor } from './page.ts'

/**
 * Returns the user who is logged in with the browser, or null. Adds the cookie to `headers` when it extends the
 * session.
 */
export async function findVisitor(
  services: Services,
  request: Pick<HttpRequest, 'headers' | 'host'>,
  headers: ResponseHeaders,
): Promise<Visitor | null> {
  const signedIn = await findSignedIn(services, request)
  if (signedIn === null) return null
  await renewWhenDue(services, request, signedIn.session, headers)
  return { ...signedIn, csrfToken: csrfToken(services.secret, signedIn.session) }
}
