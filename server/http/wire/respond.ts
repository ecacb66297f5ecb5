import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { systemClock } from '#lib/clock.ts'
import { FilesUnavailable, isDiskFull, Refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { DatabaseUnavailable, OrganizationMoving } from '#storage/storage.ts'
import type { BufferedResponse, HttpResponse, ResponseHeaders, StreamedBody } from '../http-types.ts'
import { crashResponse, databaseUnavailable, diskFull, filesUnavailable, wireRefusalResponse } from '../refusals.ts'
import {
  type CommonHeaders,
  connectionOf,
  formatHeaderLines,
  missingCommonHeaders,
  NO_COMMON_HEADERS,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from './connection.ts'
import type { LoggedRequest } from './request.ts'

/**
 * The time for which the rest of a refused body is discarded, so that its sender can read the refusal, in milliseconds.
 */
const LINGER = 5000

/**
 * The maximum number of bytes that are discarded. Then nothing more is read, and the sender has LINGER_UNREAD
 * milliseconds to read the refusal.
 */
const MAX_DISCARDED = 256 * 1024
const LINGER_UNREAD = 2000

type Framing = { closes: boolean; common: CommonHeaders }

/** Sends the whole response. Throws, with nothing sent, if a header cannot be written. */
export function respond(response: ServerResponse, content: HttpResponse, framing: Framing): void {
  const { status, body } = content
  response.writeHead(status, headerLines(content, framing))
  if (isBodiless(status)) response.end()
  else if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body)
  else if (isStreamed(body)) sendStream(response, body)
  else endWithPieces(response, body)
}

const isBodiless = (status: number) => status === 204 || status === 304

/** Returns the headers of the response as alternating names and values. */
function headerLines(content: HttpResponse, { closes, common }: Framing): (string | number)[] {
  const lines: (string | number)[] = ownHeaderLines(content)
  lines.push(...missingCommonHeaders(common, content.headers))
  if (!isBodiless(content.status)) lines.push('content-length', byteLength(content.body))
  if (closes) lines.push('connection', 'close')
  return lines
}

/** Returns the headers that the response names, and the content type of its body, as alternating names and values. */
function ownHeaderLines({ status, headers }: HttpResponse): string[] {
  const lines: string[] = []
  let hasType = isBodiless(status)
  for (const name in headers) {
    if (name === 'content-type') hasType = true
    const value = headers[name] ?? []
    if (typeof value === 'string') lines.push(name, value)
    else for (const line of value) lines.push(name, line)
  }
  if (!hasType) lines.push('content-type', 'application/json')
  return lines
}

const { now } = systemClock()

/**
 * Returns the bytes of the response to an HTTP/1.1 request other than HEAD, as node:http would write them. `keepAlive`
 * is in milliseconds. Throws if a header cannot be written.
 */
export function rawResponse(
  response: BufferedResponse,
  { closes, keepAlive, common }: Framing & { keepAlive: number },
): string | readonly Buffer[] {
  const { status, body } = response
  const length = isBodiless(status) ? '' : `content-length: ${byteLength(body)}\r\n`
  const end = closes
    ? `connection: close\r\nDate: ${date()}\r\n\r\n`
    : `Date: ${date()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n\r\n`
  const head = `${beginningOf(response, common)}${length}${end}`
  if (isBodiless(status)) return head
  if (typeof body === 'string') return head + body
  return [Buffer.from(head, 'latin1'), ...(Buffer.isBuffer(body) ? [body] : body)]
}

/**
 * The beginning of the last response and the values that it was built from: most responses begin like the previous one.
 */
let last = { status: Number.NaN, common: NO_COMMON_HEADERS, lines: [''], text: '' }

function beginningOf(response: BufferedResponse, common: CommonHeaders): string {
  const { status, headers } = response
  const lines = ownHeaderLines(response)
  const isSame =
    status === last.status &&
    common === last.common &&
    lines.length === last.lines.length &&
    lines.every((text, at) => text === last.lines[at])
  if (!isSame) {
    for (let at = 0; at < lines.length; at += 2) {
      validateHeaderName(lines[at] as string)
      validateHeaderValue(lines[at] as string, lines[at + 1] as string)
    }
    const commonLines = missingCommonHeaders(common, headers)
    const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${formatHeaderLines(lines)}${formatHeaderLines(commonLines)}`
    last = { status, common, lines, text }
  }
  return last.text
}

let dated = { second: Number.NaN, date: '' }

/** Returns the system time as a header value, formatted once a second. */
function date(): string {
  const second = Math.floor(now())
  if (second !== dated.second) dated = { second, date: new Date(second * 1000).toUTCString() }
  return dated.date
}

/** Returns whether the whole response is in memory. */
export const isBuffered = (content: HttpResponse): content is BufferedResponse =>
  typeof content.body === 'string' || Buffer.isBuffer(content.body) || !isStreamed(content.body)

const isStreamed = (body: readonly Buffer[] | StreamedBody): body is StreamedBody => 'open' in body

function byteLength(body: HttpResponse['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (Buffer.isBuffer(body) || isStreamed(body)) return body.length
  return body.reduce((length, piece) => length + piece.length, 0)
}

/** Sends a body as fast as the client reads it. If reading the body fails, the connection is closed. */
function sendStream(response: ServerResponse, body: StreamedBody): void {
  if (response.req.method === 'HEAD') response.end()
  else pipeline(body.open(), response, () => {})
}

/** Passes all pieces to the system at once. */
function endWithPieces(response: ServerResponse, pieces: readonly Buffer[]): void {
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
}

/**
 * Responds to a request that has not arrived completely, and closes the connection once its sender has had time to read
 * the response.
 */
export function respondUnread(
  request: IncomingMessage,
  response: ServerResponse,
  content: HttpResponse,
  common: CommonHeaders,
): void {
  const { body } = content
  response.writeHead(content.status, headerLines(content, { closes: true, common }))
  if (typeof body === 'string' || Buffer.isBuffer(body)) response.write(body)
  else throw new Error('Only short responses are sent before a request is read')
  const connection = connectionOf(request.socket)
  const end = () => {
    clearTimeout(timer)
    if (connection.giveUpReading === end) connection.giveUpReading = undefined
    response.end()
  }
  // Closing with bytes unread would reset the connection, and the sender would lose the response.
  let timer = setTimeout(end, LINGER).unref()
  if (request.complete || request.readableEnded || connection.givenUp) return end()
  connection.giveUpReading = end
  let discarded = 0
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded < MAX_DISCARDED || request.isPaused()) return
    request.pause()
    clearTimeout(timer)
    timer = setTimeout(end, LINGER_UNREAD).unref()
  })
  request.once('close', end).once('end', end)
}

/** Seconds after which a client may retry: a lost connection to the database is often restored by then. */
const RETRY_AFTER = 2

/** Seconds after which a file store that was away may be back. */
const RETRY_WITHOUT_FILES = 10

/** Seconds after which there may be disk space again: an administrator has to free some. */
const RETRY_WHEN_FULL = 60

/** Returns the response to a request that failed with `error`, and logs the error unless it is a refusal. */
export function failureResponse(
  error: unknown,
  log: Log,
  { id }: LoggedRequest,
  headers: ResponseHeaders,
): BufferedResponse {
  if (error instanceof Refusal) return wireRefusalResponse(error, headers)
  if (error instanceof DatabaseUnavailable) {
    if (!(error instanceof OrganizationMoving))
      log.warn({ id, reason: error.message }, 'Request failed: the database is unavailable')
    return wireRefusalResponse(databaseUnavailable(), { ...headers, 'retry-after': String(RETRY_AFTER) })
  }
  if (isDiskFull(error)) {
    log.error({ id, reason: (error as Error).message }, 'Request failed: the disk is full')
    return wireRefusalResponse(diskFull(), { ...headers, 'retry-after': String(RETRY_WHEN_FULL) })
  }
  if (error instanceof FilesUnavailable) {
    log.warn({ id, reason: error.message }, 'Request failed: the file store is unavailable')
    return wireRefusalResponse(filesUnavailable(), { ...headers, 'retry-after': String(RETRY_WITHOUT_FILES) })
  }
  log.error({ id, err: error }, 'Request crashed')
  return crashResponse(id, headers)
}
