import type { Refusal } from '../platform/errors/refusal.ts'
import type { AuthMethod } from './api-path.ts'
import { notLoggedIn } from './refusals.ts'
import type { BufferedResponse, HttpRequest, HttpResponse, ResponseHeaders } from './wire/http-types.ts'

/** Of whatever depends on who asks. */
export const NO_STORE = { 'cache-control': 'private, no-store' }

/** What a 401 asks for; browsers would ask people for the name and password of `Basic`. */
const CHALLENGES: Readonly<Record<AuthMethod, string>> = {
  key: 'Basic realm="parley"',
  session: 'Session realm="parley"',
}

/** The answer that a refusal amounts to. */
export function toRefusalResponse(
  refused: Refusal,
  headers: ResponseHeaders,
  proof: AuthMethod = 'key',
): BufferedResponse {
  const { status, code } = refused.kind
  if (status === 401) headers['www-authenticate'] = CHALLENGES[proof]
  const retryAfter = refused.extras['retry-after']
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  const body = `${JSON.stringify({ result: 'error', msg: refused.message, ...refused.extras, code })}\n`
  return { status, headers, body }
}

/** Like `toAnswer`, but whoever opens the address in a browser and is not signed in is led to where people sign in. */
export function toRefusalOrLogin(
  { path, headers: asked }: Pick<HttpRequest, 'path' | 'headers'>,
  refused: Refusal,
  headers: ResponseHeaders,
  proof: AuthMethod,
): HttpResponse {
  if (refused.kind !== notLoggedIn || !asked.accept?.includes('text/html'))
    return toRefusalResponse(refused, headers, proof)
  const next = encodeURIComponent(path).replaceAll('%2F', '/')
  return { status: 302, headers: { location: `/login/?next=${next}` }, body: '' }
}
