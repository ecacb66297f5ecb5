import { systemClock } from '../../base/clock.ts'
import type { ReadyAnswer } from './exchange.ts'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from './node-http.ts'
import { headerLines } from './respond.ts'

const { now } = systemClock()

/** What is said of the connection an answer goes out on; `keepAlive` is in milliseconds. */
type Manner = { closing: boolean; keepAlive: number }

/**
 * The bytes of an answer with a body, to a GET over HTTP/1.1, as node:http would write them. Throws when a header cannot
 * be written.
 */
export function rawAnswer(answer: ReadyAnswer, manner: Manner): string | readonly Buffer[] {
  const { body } = answer
  const head = headOf(answer, manner)
  if (typeof body === 'string') return head + body
  return [Buffer.from(head, 'latin1'), ...(Buffer.isBuffer(body) ? [body] : body)]
}

function headOf(answer: ReadyAnswer, { closing, keepAlive }: Manner): string {
  const lines = headerLines(answer, closing)
  let head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`
  for (let at = 0; at < lines.length; at += 2) {
    const [name, value] = [lines[at] as string, String(lines[at + 1])]
    requireName(name)
    validateHeaderValue(name, value)
    head += `${name}: ${value}\r\n`
  }
  head += `Date: ${date()}\r\n`
  if (!closing) head += `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1000)}\r\n`
  return `${head}\r\n`
}

/** Few, as they come from the code. */
const validNames = new Set<string>()

function requireName(name: string): void {
  if (validNames.has(name)) return
  validateHeaderName(name)
  validNames.add(name)
}

let written = { second: Number.NaN, date: '' }

/** The time of the machine, written once a second. */
function date(): string {
  const second = Math.floor(now())
  if (second !== written.second) written = { second, date: new Date(second * 1000).toUTCString() }
  return written.date
}
