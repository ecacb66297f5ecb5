import { type AuthMethod, readApiPath } from './api-path.ts'
import { NO_STORE } from './refusal-response.ts'
import type { ResponseHeaders } from './wire/http-types.ts'

const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
}

const byProof: Record<AuthMethod, ResponseHeaders> = { key: { ...NO_STORE, ...crossOrigin }, session: NO_STORE }

/** What every answer of the API says, whether it is one to a key or to a session. */
export const apiHeaders = (proof: AuthMethod): ResponseHeaders => ({ ...byProof[proof] })

/** What every answer to a request for this path says, even one that refuses it unread. */
export function headersForPath(path: string): ResponseHeaders {
  const called = readApiPath(path)
  return called === null ? {} : apiHeaders(called.proof)
}
