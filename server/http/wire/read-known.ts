import type { IncomingHttpHeaders } from 'node:http'
import type { KnownHeads } from './known-heads.ts'
import { splitTarget } from './target.ts'

/** A request in lines that node:http has read before. */
export type KnownRequest = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export type Reader = {
  readonly heads: KnownHeads
  /** Whether all answers to requests for such a path are whole in memory. */
  readonly answersWhole: (path: string) => boolean
  readonly bodyLimit: (method: string, path: string) => number
  /** Whether such a request's endpoint reads its files itself. */
  readonly readsFiles: (method: string, path: string) => boolean
}

/** The first line, with no character of which servers differ in what they make of it. */
const FIRST_LINE = /^(?:GET|POST|PUT|PATCH|DELETE) \/[\w\-.~%/?&=:+,;@!$*'()]* HTTP\/1\.1$/

const VERSION_LENGTH = ' HTTP/1.1'.length

const LENGTH = /(\r\ncontent-length: )(\d{1,5})\r\n/i

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = 0x0d

/** Bytes of a first line with the lines behind it. */
const MAX_HEAD = 4096
const MAX_BODY = 16 * 1024

/**
 * The request that these bytes are, if they are one and no more, and nothing of it needs to be interpreted anew; else
 * null. `incomplete` when it is such a request whose body is still to come.
 */
export function readKnown(reader: Reader, bytes: Buffer): KnownRequest | 'incomplete' | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1 || headEnd > MAX_HEAD) return null
  const bodyStart = headEnd + HEAD_END.length
  // Apart from the lines behind it: who keeps a piece of a text, as a waiting poll does, keeps the whole.
  const lineEnd = bytes.indexOf(LINE_END)
  const firstLine = bytes.toString('latin1', 0, lineEnd)
  if (!FIRST_LINE.test(firstLine)) return null

  const understood = understand(reader.heads, bytes.toString('latin1', lineEnd, bodyStart))
  if (understood === null) return null
  const { headers, bodyLength } = understood
  const targetStart = firstLine.indexOf('/')
  const method = firstLine.slice(0, targetStart - 1)
  const { path, query } = splitTarget(firstLine.slice(targetStart, -VERSION_LENGTH))
  if (!reader.answersWhole(path) || reader.readsFiles(method, path)) return null
  if (bodyLength > MAX_BODY || bodyLength > reader.bodyLimit(method, path)) return null

  if (bytes.length < bodyStart + bodyLength) return 'incomplete'
  if (bytes.length > bodyStart + bodyLength) return null
  return { method, path, query, headers, bytes: bytes.subarray(bodyStart) }
}

/** What known lines say. The body's length is the one thing that differs from request to request. */
function understand(heads: KnownHeads, lines: string): { headers: IncomingHttpHeaders; bodyLength: number } | null {
  const whole = heads.find(lines)
  // Known as they stand, lines with a length are those that lack its number.
  if (whole !== undefined) return hasLength(whole) ? null : { headers: whole, bodyLength: 0 }
  const found = LENGTH.exec(lines)
  if (found === null) return null
  const [, name = '', digits = ''] = found
  const start = found.index + name.length
  const headers = heads.find(lines.slice(0, start) + lines.slice(start + digits.length))
  return headers === undefined || !hasLength(headers) ? null : { headers, bodyLength: Number(digits) }
}

const hasLength = (headers: IncomingHttpHeaders) => headers['content-length'] !== undefined
