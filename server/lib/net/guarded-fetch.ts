import { type GuardedOptions, type GuardedOutcome, guardedRequest } from './guarded-request.ts'

/**
 * The outcome of a request: a response with any status, or the reason why there is none. `retryAfter` is in seconds.
 */
export type PostOutcome =
  | { kind: 'answer'; status: number; body: string; retryAfter: number | null }
  | Exclude<GuardedOutcome, { kind: 'answer' }>

export type PostRequest = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

/** The maximum size of a response in bytes. It is larger than the longest message that a bot can send. */
export const MAX_RESPONSE_SIZE = 256 * 1024

/** The status codes of redirects after which the same request is sent to another address. */
const REDIRECTS = new Set([307, 308])

/** Sends a body by POST, under the rules of `guardedRequest`. */
export async function guardedPost({ url, headers, body }: PostRequest, options: GuardedOptions): Promise<PostOutcome> {
  const sent = { ...headers, 'content-length': Buffer.byteLength(body) }
  const request = { method: 'POST', headers: sent, body, redirects: REDIRECTS, maxSize: MAX_RESPONSE_SIZE } as const
  const outcome = await guardedRequest(url, request, options)
  if (outcome.kind !== 'answer') return outcome
  const { status, bytes } = outcome
  return { kind: 'answer', status, body: bytes.toString(), retryAfter: secondsIn(outcome.headers['retry-after']) }
}

/**
 * Returns the seconds in a Retry-After header. Returns null for a date, because servers send dates only for delays of
 * several days.
 */
const secondsIn = (retryAfter: string | undefined) => (/^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : null)
