import type { Refusal } from '../platform/errors/refusal.ts'
import type { Proof } from './api-path.ts'
import { notLoggedIn } from './refusals.ts'
import type { Answer, AnswerHeaders, Exchange, ReadyAnswer } from './wire/exchange.ts'

/** Of whatever depends on who asks. */
export const NEVER_KEPT = { 'cache-control': 'private, no-store' }

/** What a 401 asks for; browsers would ask people for the name and password of `Basic`. */
const CHALLENGES: Readonly<Record<Proof, string>> = {
  key: 'Basic realm="parley"',
  session: 'Session realm="parley"',
}

/** The answer that a refusal amounts to. */
export function toAnswer(refused: Refusal, headers: AnswerHeaders, proof: Proof = 'key'): ReadyAnswer {
  const { status, code } = refused.kind
  if (status === 401) headers['www-authenticate'] = CHALLENGES[proof]
  const retryAfter = refused.extras['retry-after']
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  const body = `${JSON.stringify({ result: 'error', msg: refused.message, ...refused.extras, code })}\n`
  return { status, headers, body }
}

/** Like `toAnswer`, but whoever opens the address in a browser and is not signed in is led to where people sign in. */
export function toAnswerFor(
  { path, headers: asked }: Pick<Exchange, 'path' | 'headers'>,
  refused: Refusal,
  headers: AnswerHeaders,
  proof: Proof,
): Answer {
  if (refused.kind !== notLoggedIn || !asked.accept?.includes('text/html')) return toAnswer(refused, headers, proof)
  const next = encodeURIComponent(path).replaceAll('%2F', '/')
  return { status: 302, headers: { location: `/login/?next=${next}` }, body: '' }
}
