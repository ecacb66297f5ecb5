import { systemClock } from '#lib/clock.ts'
import type { BufferedResponse, DeferredResponse } from '../http-types.ts'
import { compressed } from '../responses.ts'
import {
  type CommonHeaders,
  formatHeaderLines,
  missingCommonHeaders,
  NO_COMMON_HEADERS,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from '../wire/connection.ts'
import { type LoggedRequest, logRequest } from '../wire/request.ts'
import { byteLength, failureResponse, isBodiless, ownHeaderLines } from '../wire/respond.ts'
import type { ServerContext } from '../wire/server-context.ts'
import { type DetachedRequest, fastConnectionOf, isLast, writeResponse } from './detached-request.ts'

const { now } = systemClock()

/**
 * The state of the connection that a response is sent on, with `keepAlive` in milliseconds, and the headers of all
 * responses.
 */
type Framing = { closes: boolean; keepAlive: number; common: CommonHeaders }

/**
 * Returns the bytes of the response to an HTTP/1.1 request other than HEAD, as node:http would write them. Throws if a
 * header cannot be written.
 */
function rawResponse(response: BufferedResponse, framing: Framing): string | readonly Buffer[] {
  const { body } = response
  const head = headOf(response, framing)
  if (isBodiless(response.status)) return head
  if (typeof body === 'string') return head + body
  return [Buffer.from(head, 'latin1'), ...(Buffer.isBuffer(body) ? [body] : body)]
}

function headOf(response: BufferedResponse, { closes, keepAlive, common }: Framing): string {
  const end = closes
    ? `connection: close\r\nDate: ${date()}\r\n\r\n`
    : `Date: ${date()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n\r\n`
  const length = isBodiless(response.status) ? '' : `content-length: ${byteLength(response.body)}\r\n`
  return `${beginningOf(response, common)}${length}${end}`
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

type Sender = Pick<ServerContext, 'log' | 'isClosing' | 'common' | 'headersForPath'>

/** Sends the response to a detached request. A response that cannot be written counts as a crash. */
export function sendDetached(
  sender: Sender,
  detached: DetachedRequest,
  logged: LoggedRequest,
  ready: BufferedResponse,
): void {
  try {
    send(sender, detached, logged, ready)
  } catch (error) {
    sendFailure(sender, detached, logged, error)
  }
}

/** Sends the response to a detached request that failed. */
export function sendFailure(sender: Sender, detached: DetachedRequest, logged: LoggedRequest, error: unknown): void {
  send(sender, detached, logged, failureResponse(error, sender.log, logged, sender.headersForPath(logged.path)))
}

/** Sends the response to a detached request once it is available. Whatever happens, exactly one response is sent. */
export function sendDeferred(
  sender: Sender,
  detached: DetachedRequest,
  logged: LoggedRequest,
  deferred: DeferredResponse,
): void {
  detached.deferred = deferred
  if (fastConnectionOf(detached.socket).detached !== detached) deferred.giveUp()
  deferred.onSettled((get) => {
    try {
      const ready = compressed(get())
      if (!(ready instanceof Promise)) return send(sender, detached, logged, ready)
      ready.then(
        (response) => sendDetached(sender, detached, logged, response),
        (error) => sendFailure(sender, detached, logged, error),
      )
    } catch (error) {
      sendFailure(sender, detached, logged, error)
    }
  })
}

function send(
  { log, isClosing, common }: Sender,
  detached: DetachedRequest,
  logged: LoggedRequest,
  ready: BufferedResponse,
): void {
  const closes = isClosing() || isLast(detached)
  writeResponse(detached, rawResponse(ready, { closes, keepAlive: detached.keepAlive, common }), closes)
  logRequest(log, logged, ready.status)
}
