import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from './http-types.ts'
import type { LoggedRequest } from './request-log.ts'

/** What a request says in its query and its body. */
export type RequestContent = Pick<HttpRequest, 'query' | 'body' | 'files' | 'bytes'>

type Origin = Pick<IncomingMessage, 'headers' | 'socket'>

/** `host` is that of the first line, which counts more than the header; `trustRealIp` is as a server is told. */
export function toHttpRequest(
  { id, method, path }: LoggedRequest,
  { headers, socket }: Origin,
  { query, body, files, bytes }: RequestContent,
  { trustRealIp }: { trustRealIp: boolean },
  host = headers.host ?? '',
  arriving: HttpRequest['incomingFiles'] = null,
): HttpRequest {
  return {
    id,
    method,
    path,
    host: host.toLowerCase(),
    headers,
    query,
    body,
    files,
    bytes,
    incomingFiles: arriving,
    remoteAddress: addressOf(headers, socket, trustRealIp),
  }
}

/** Of the client, as the proxy in front names it where there is one. */
function addressOf(headers: Origin['headers'], socket: Origin['socket'], trustRealIp: boolean): string {
  const forwarded = trustRealIp ? headers['x-real-ip'] : undefined
  return typeof forwarded === 'string' ? forwarded : (socket.remoteAddress ?? '')
}
