import type { IncomingMessage } from 'node:http'
import type { Log } from '#lib/log.ts'
import type { Meter, RequestSpan } from '#lib/meter.ts'
import type { HttpRequest } from '../http-types.ts'
import { decodeFormText } from '../params.ts'
import type { AddressOf } from './client-address.ts'

/** The query and the body of a request. */
export type RequestContent = Pick<HttpRequest, 'query' | 'rawQuery' | 'body' | 'files' | 'rawBody'>

/** The content of a request whose body has not been read or parsed. */
export const NO_CONTENT: RequestContent = {
  query: new Map(),
  rawQuery: '',
  body: new Map(),
  files: [],
  rawBody: Buffer.alloc(0),
}

type Origin = Pick<IncomingMessage, 'headers' | 'socket'>

/** Builds a request. `host` comes from the request line, which takes precedence over the header. */
export function toHttpRequest(
  { id, method, path }: LoggedRequest,
  origin: Origin,
  { query, rawQuery, body, files, rawBody }: RequestContent,
  { addressOf }: { addressOf: AddressOf },
  host = origin.headers.host ?? '',
  incomingFiles: HttpRequest['incomingFiles'] = null,
): HttpRequest {
  const peerAddress = origin.socket.remoteAddress ?? ''
  return {
    id,
    method,
    path,
    host: host.toLowerCase(),
    headers: origin.headers,
    query,
    rawQuery,
    body,
    files,
    rawBody,
    incomingFiles,
    remoteAddress: addressOf(origin.headers, peerAddress),
    peerAddress,
  }
}

const ORIGIN = /^https?:\/\/([^/?#]*)/i

/** The target of a request, with the host if the request line names one. */
export type RequestTarget = { path: string; query: string; host: string | undefined }

/**
 * Splits a request target into path and query. In the path, repeated slashes are collapsed and unnecessary escapes are
 * decoded. The absolute form, which proxies send, names a host.
 */
export function splitTarget(target: string): RequestTarget {
  let [rest, host]: [string, string | undefined] = [target, undefined]
  if (target.charCodeAt(0) !== SLASH) {
    const [origin, named] = ORIGIN.exec(target) ?? []
    if (origin !== undefined) [rest, host] = [target.slice(origin.length), named]
  }
  const mark = rest.indexOf('?')
  const path = mark === -1 ? rest : rest.slice(0, mark)
  const query = mark === -1 ? '' : rest.slice(mark + 1)
  return { path: path === '' ? '/' : normalPath(path), query, host }
}

function normalPath(path: string): string {
  const joined = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
  return joined.includes('%') ? joined.replace(/%[0-9a-f]{2}/gi, decodeUnreserved) : joined
}

/** Decodes an escape of an unreserved character, which means the same without it (RFC 3986). */
function decodeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : escaped
}

const SLASH = 0x2f

/** Paths whose last part is a key or a token. */
const SECRET_PATH =
  /\/(do_confirm|join|sign_up|connect|connect_by_email|subdomain|confirm_new_email|undo_new_email|reset|reactivate|new|unsubscribe|end_mail|end_digest)\/+[^/]+/g

/** Paths of files and of pictures of other sites: the names of files and the links of messages are content. */
const CONTENT_PATH = /^\/(external_content|user_uploads)\/.*$/s

/**
 * Returns the path without the keys, email addresses, names of files and links of messages in it, which must not be
 * logged.
 */
export function redactedPath(path: string): string {
  const readable = path.includes('%') ? decodeFormText(path.replaceAll('+', '%2B')) : path
  const parts = readable.replace(SECRET_PATH, '/$1/…').replace(CONTENT_PATH, '/$1/…').split('/')
  return parts.map((part) => (part.includes('@') ? '…' : part)).join('/')
}

/** The logged part of a request. `startedAt` is a value of `performance.now()`. */
export type LoggedRequest = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly startedAt: number
  /** Undefined if requests are not traced. */
  span?: RequestSpan
}

/** Reports a request that was answered, and writes a line about it, never with its query, headers, or body. */
export function reportRequest(
  { log, meter }: { log: Log; meter: Meter | undefined },
  { id, method, path, startedAt, span }: LoggedRequest,
  status: number,
): void {
  span?.end(status)
  const isLogged = log.isLevelEnabled('debug')
  if (!isLogged && meter === undefined) return
  const milliseconds = performance.now() - startedAt
  meter?.requestEnded({ id, method, path, status, seconds: milliseconds / 1000 })
  if (!isLogged) return
  const ms = Math.round(milliseconds * 100) / 100
  log.debug({ id, method, path: redactedPath(path), status, ms }, 'request')
}
