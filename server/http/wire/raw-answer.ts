import { systemClock } from '../../platform/runtime/clock.ts'
import { type CommonHeaders, formatHeaderLines, missingCommonHeaders, NO_COMMON_HEADERS } from './common-headers.ts'
import type { BufferedResponse } from './http-types.ts'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from './node-http.ts'
import { byteLength, isBodiless, ownHeaderLines } from './respond.ts'

const { now } = systemClock()

/** What is said of the connection an answer goes out on, `keepAlive` being in milliseconds, and in every answer. */
type Manner = { closing: boolean; keepAlive: number; common: CommonHeaders }

/**
 * The bytes of an answer to a request of HTTP/1.1 other than HEAD, as node:http would write them. Throws when a header cannot
 * be written.
 */
export function rawAnswer(answer: BufferedResponse, manner: Manner): string | readonly Buffer[] {
  const { body } = answer
  const head = headOf(answer, manner)
  if (isBodiless(answer.status)) return head
  if (typeof body === 'string') return head + body
  return [Buffer.from(head, 'latin1'), ...(Buffer.isBuffer(body) ? [body] : body)]
}

function headOf(answer: BufferedResponse, { closing, keepAlive, common }: Manner): string {
  const end = closing
    ? `connection: close\r\nDate: ${date()}\r\n\r\n`
    : `Date: ${date()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n\r\n`
  const length = isBodiless(answer.status) ? '' : `content-length: ${byteLength(answer.body)}\r\n`
  return `${beginningOf(answer, common)}${length}${end}`
}

/** What the last answer began with, and of what that was made: most answers begin like the one before. */
let last = { status: Number.NaN, common: NO_COMMON_HEADERS, lines: [''], text: '' }

function beginningOf(answer: BufferedResponse, common: CommonHeaders): string {
  const { status, headers } = answer
  const lines = ownHeaderLines(answer)
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
    const text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${formatHeaderLines(lines)}${formatHeaderLines(missingCommonHeaders(common, headers))}`
    last = { status, common, lines, text }
  }
  return last.text
}

let clocked = { second: Number.NaN, date: '' }

/** The time of the machine, written once a second. */
function date(): string {
  const second = Math.floor(now())
  if (second !== clocked.second) clocked = { second, date: new Date(second * 1000).toUTCString() }
  return clocked.date
}
