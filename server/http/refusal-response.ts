import type { Refusal } from '#lib/errors/refusal.ts'
import type { AuthMethod } from './api-path.ts'
import { notLoggedIn } from './refusals.ts'
import type { BufferedResponse, HttpRequest, HttpResponse, ResponseHeaders } from './wire/http-types.ts'

/** Headers of responses that depend on the caller. */
export const NO_STORE = { 'cache-control': 'private, no-store' }

/**
 * The `WWW-Authenticate` header of a 401. Sessions have their own scheme, because browsers show a login dialog for
 * `Basic`.
 */
const CHALLENGES: Readonly<Record<AuthMethod, string>> = {
  key: 'Basic realm="parley"',
  session: 'Session realm="parley"',
}

/**
 * Returns the response for a refusal. The web client, which has a session, gets the field in a header, because the
 * bodies of the Zulip API name it only for some codes.
 */
export function toRefusalResponse(
  refused: Refusal,
  headers: ResponseHeaders,
  authMethod: AuthMethod = 'key',
): BufferedResponse {
  const { status, code } = refused.kind
  if (status === 401) headers['www-authenticate'] = CHALLENGES[authMethod]
  if (refused.field !== null && authMethod === 'session') headers['refused-field'] = refused.field
  const retryAfter = refused.extras['retry-after']
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  const body = `${JSON.stringify({ result: 'error', msg: refused.message, ...refused.extras, code })}\n`
  return { status, headers, body }
}

/** Like `toRefusalResponse`, but redirects a browser without a session to the login page. */
export function toRefusalOrLogin(
  { path, headers: asked }: Pick<HttpRequest, 'path' | 'headers'>,
  refused: Refusal,
  headers: ResponseHeaders,
  authMethod: AuthMethod,
): HttpResponse {
  if (refused.kind !== notLoggedIn || !asked.accept?.includes('text/html'))
    return toRefusalResponse(refused, headers, authMethod)
  const next = encodeURIComponent(path).replaceAll('%2F', '/')
  return { status: 302, headers: { location: `/login/?next=${next}` }, body: '' }
}
