import { systemClock } from '#lib/runtime/clock.ts'
import {
  type CommonHeaders,
  formatHeaderLines,
  missingCommonHeaders,
  NO_COMMON_HEADERS,
} from '../wire/common-headers.ts'
import type { BufferedResponse } from '../wire/http-types.ts'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from '../wire/node-http.ts'
import { byteLength, isBodiless, ownHeaderLines } from '../wire/respond.ts'

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
export function rawResponse(response: BufferedResponse, framing: Framing): string | readonly Buffer[] {
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
