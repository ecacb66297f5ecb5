import { type Refusal, refusal } from '#lib/errors/refusal.ts'
import type { BufferedResponse, ResponseHeaders } from './http-types.ts'

/** The maximum length of a request target (path and query), in bytes. */
export const MAX_TARGET = 16 * 1024

/** Refusals before any endpoint is called. */
export const malformedRequest = refusal('BAD_REQUEST', 400, 'The request is not well-formed HTTP')
export const malformedMultipart = refusal('BAD_REQUEST', 400, 'The multipart body is malformed: {complaint}')
export const malformedJson = refusal('BAD_REQUEST', 400, 'The JSON body is malformed: {complaint}')
export const tooManyFields = refusal('BAD_REQUEST', 400, 'Too many parameters (limit: {limit})')
export const requestTimeout = refusal('REQUEST_TIMEOUT', 408, 'The request did not arrive in time')
export const bodyTooLarge = refusal('PAYLOAD_TOO_LARGE', 413, 'The request body is too large (limit: {limit} bytes)')
export const targetTooLong = refusal('URI_TOO_LONG', 414, 'The request target is too long (limit: {limit} bytes)')
export const tooManyConnections = refusal(
  'TOO_MANY_CONNECTIONS',
  429,
  'Too many connections from your address (limit: {limit})',
)
export const headersTooLarge = refusal('HEADERS_TOO_LARGE', 431, 'The request headers are too large')

/** Seconds after which a client may retry: the longest time that a request waits in a busy server. */
const RETRY_WHEN_BUSY = 2

/** Refuses requests when more are waiting than the server can handle in time. */
export const serverBusy = refusal('SERVICE_UNAVAILABLE', 503, 'The server is busy. Try again later.', {
  extras: () => ({ 'retry-after': RETRY_WHEN_BUSY }),
})

/** Returns the response of a busy server. */
export function busyResponse(headers: ResponseHeaders): BufferedResponse {
  return wireRefusalResponse(serverBusy(), { ...headers, 'retry-after': String(RETRY_WHEN_BUSY) })
}

/** Refuses requests while the server has no connection to its database. */
export const databaseUnavailable = refusal(
  'SERVICE_UNAVAILABLE',
  503,
  'The server cannot reach its database. Try again later.',
)

/** Refuses writes while the disk is full. */
export const diskFull = refusal('SERVICE_UNAVAILABLE', 503, "The server's disk is full")

const internalError = refusal('INTERNAL_SERVER_ERROR', 500, 'Internal server error', {
  extras: ({ requestId }: { requestId: string }) => ({ request_id: requestId }),
})

/** The refusals that any request may get before its endpoint is called, or when the server fails. */
export const wireRefusals = [
  malformedRequest,
  malformedMultipart,
  malformedJson,
  tooManyFields,
  requestTimeout,
  bodyTooLarge,
  targetTooLong,
  tooManyConnections,
  headersTooLarge,
  internalError,
  serverBusy,
  databaseUnavailable,
  diskFull,
]

/** Returns a refusal in the envelope of the API. */
export function wireRefusalResponse(
  { kind, message, extras }: Refusal,
  headers: ResponseHeaders = {},
): BufferedResponse & { body: string } {
  const body = `${JSON.stringify({ result: 'error', msg: message, ...extras, code: kind.code })}\n`
  return { status: kind.status, headers, body }
}

/** Returns the response to a request that crashed. It contains only the id under which the log has the cause. */
export function crashResponse(requestId: string, headers: ResponseHeaders = {}): BufferedResponse {
  return wireRefusalResponse(internalError({ requestId }), headers)
}
