import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from './http-types.ts'
import type { LoggedRequest } from './request-log.ts'

/** The query and the body of a request. */
export type RequestContent = Pick<HttpRequest, 'query' | 'body' | 'files' | 'rawBody'>

/** The content of a request whose body has not been read or parsed. */
export const NO_CONTENT: RequestContent = { query: new Map(), body: new Map(), files: [], rawBody: Buffer.alloc(0) }

type Origin = Pick<IncomingMessage, 'headers' | 'socket'>

/** Builds a request. `host` comes from the request line, which takes precedence over the header. */
export function toHttpRequest(
  { id, method, path }: LoggedRequest,
  origin: Origin,
  { query, body, files, rawBody }: RequestContent,
  { trustRealIp }: { trustRealIp: boolean },
  host = origin.headers.host ?? '',
  incomingFiles: HttpRequest['incomingFiles'] = null,
): HttpRequest {
  return {
    id,
    method,
    path,
    host: host.toLowerCase(),
    headers: origin.headers,
    query,
    body,
    files,
    rawBody,
    incomingFiles,
    remoteAddress: addressOf(origin, trustRealIp),
  }
}

/** Returns the address of the client. With `trustRealIp`, it comes from the X-Real-IP header of the reverse proxy. */
export function addressOf({ headers, socket }: Origin, trustRealIp: boolean): string {
  const forwarded = trustRealIp ? headers['x-real-ip'] : undefined
  return typeof forwarded === 'string' ? forwarded : (socket.remoteAddress ?? '')
}
