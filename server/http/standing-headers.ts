import { NEVER_KEPT } from './answer-refusal.ts'
import { type Proof, readApiPath } from './api-path.ts'
import type { AnswerHeaders } from './wire/exchange.ts'

const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
}

const byProof: Record<Proof, AnswerHeaders> = { key: { ...NEVER_KEPT, ...crossOrigin }, session: NEVER_KEPT }

/** What every answer of the API says, whether it is one to a key or to a session. */
export const standingHeaders = (proof: Proof): AnswerHeaders => ({ ...byProof[proof] })

/** What every answer to a request for this path says, even one that refuses it unread. */
export function headersUnder(path: string): AnswerHeaders {
  const called = readApiPath(path)
  return called === null ? {} : standingHeaders(called.proof)
}
