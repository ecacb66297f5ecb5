import { systemClock } from '../../base/clock.ts'
import type { ReadyAnswer } from './exchange.ts'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from './node-http.ts'
import { byteLength, isBodiless, namedLines } from './respond.ts'

const { now } = systemClock()

/** What is said of the connection an answer goes out on; `keepAlive` is in milliseconds. */
type Manner = { closing: boolean; keepAlive: number }

/**
 * The bytes of an answer to a request of HTTP/1.1 other than HEAD, as node:http would write them. Throws when a header cannot
 * be written.
 */
export function rawAnswer(answer: ReadyAnswer, manner: Manner): string | readonly Buffer[] {
  const { body } = answer
  const head = headOf(answer, manner)
  if (isBodiless(answer.status)) return head
  if (typeof body === 'string') return head + body
  return [Buffer.from(head, 'latin1'), ...(Buffer.isBuffer(body) ? [body] : body)]
}

function headOf(answer: ReadyAnswer, { closing, keepAlive }: Manner): string {
  const end = closing
    ? `connection: close\r\nDate: ${date()}\r\n\r\n`
    : `Date: ${date()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n\r\n`
  const length = isBodiless(answer.status) ? '' : `content-length: ${byteLength(answer.body)}\r\n`
  return `${beginningOf(answer)}${length}${end}`
}

/** What the last answer began with, and of what that was made: most answers begin like the one before. */
let last = { status: Number.NaN, lines: [''], text: '' }

function beginningOf(answer: ReadyAnswer): string {
  const { status } = answer
  const lines = namedLines(answer)
  const isSame =
    status === last.status && lines.length === last.lines.length && lines.every((text, at) => text === last.lines[at])
  if (!isSame) last = { status, lines, text: write(status, lines) }
  return last.text
}

function write(status: number, lines: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < lines.length; at += 2) {
    const [name, value] = [lines[at] as string, lines[at + 1] as string]
    validateHeaderName(name)
    validateHeaderValue(name, value)
    text += `${name}: ${value}\r\n`
  }
  return text
}

let written = { second: Number.NaN, date: '' }

/** The time of the machine, written once a second. */
function date(): string {
  const second = Math.floor(now())
  if (second !== written.second) written = { second, date: new Date(second * 1000).toUTCString() }
  return written.date
}
