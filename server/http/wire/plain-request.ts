import type { IncomingHttpHeaders } from 'node:http'
import { EMPTY_BODY, SHORT_BODY } from '../body/read-body.ts'
import { type RequestTarget, splitTarget } from './request.ts'
import type { ServerContext } from './server-context.ts'

/** A request in the plain form that nearly all clients send. */
export type PlainRequest = {
  readonly method: string
  readonly target: RequestTarget
  /** The headers, shared with other requests: instead of the number in Content-Length, they have `#`. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The first line, with only those characters that all servers interpret in the same way. */
const FIRST_LINE = /^(?:GET|POST|PUT|PATCH|DELETE) \/[\w\-.~%/?&=:+,;@!$*'()]* HTTP\/1\.1$/

const VERSION_LENGTH = ' HTTP/1.1'.length

/** A header line that all servers interpret in the same way: one space after the colon, and none at the end. */
const HEADER_LINE = /^([a-z][a-z\d-]*): ([!-~](?:[ -~]*[!-~])?)$/i

/** Headers that change where a request or its connection ends, or that node:http parses in its own way. */
const SPECIAL: ReadonlySet<string> = new Set([
  ...['connection', 'expect', 'proxy-connection', 'set-cookie', 'trailer', 'transfer-encoding', 'upgrade'],
])

const LENGTH = /(\r\ncontent-length: )\d{1,5}(?=\r\n)/i

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = 0x0d

/** The maximum length of the first line with the header lines, in bytes. Longer bodies than SHORT_BODY are not plain. */
const MAX_HEAD = 4096

/** The maximum size of the cache of headers, in characters of header lines plus PER_CACHED for each request. */
const MAX_CACHED = 4 * 2 ** 20

/** The characters that each cached request counts in addition to its lines, because its parsed headers are kept. */
const PER_CACHED = 512

export type ParsingOptions = Pick<ServerContext, 'answersInMemory' | 'bodyLimit' | 'readsFiles'>

/**
 * Returns a function that parses bytes which are exactly one plain request. The function returns `incomplete` if only a
 * part of the body is missing, and null if node:http has to parse the bytes.
 */
export function openParser(options: ParsingOptions): (bytes: Buffer) => PlainRequest | 'incomplete' | null {
  const findHeaders = openHeaderCache()
  return (bytes) => {
    const headEnd = bytes.indexOf(HEAD_END)
    if (headEnd === -1 || headEnd > MAX_HEAD) return null
    const bodyStart = headEnd + HEAD_END.length
    // The first line is decoded separately. A waiting poll keeps a part of this string, which keeps the whole string in
    // memory.
    const lineEnd = bytes.indexOf(LINE_END)
    const firstLine = bytes.toString('latin1', 0, lineEnd)
    if (!FIRST_LINE.test(firstLine)) return null

    const lines = bytes.toString('latin1', lineEnd, headEnd + 2)
    const declared = LENGTH.exec(lines)
    const bodyLength = declared === null ? 0 : Number(declared[0].slice(declared[1]?.length))
    // The number is left out, because it is the only part of the lines that differs between most requests of a client.
    const headers = findHeaders(declared === null ? lines : lines.replace(LENGTH, '$1#'))
    if (headers === null || (headers['content-length'] !== undefined) !== (declared !== null)) return null

    const targetStart = firstLine.indexOf('/')
    const method = firstLine.slice(0, targetStart - 1)
    const target = splitTarget(firstLine.slice(targetStart, -VERSION_LENGTH))
    if (!options.answersInMemory(target.path) || options.readsFiles(method, target.path)) return null
    if (bodyLength > SHORT_BODY || bodyLength > options.bodyLimit(method, target.path)) return null

    if (bytes.length < bodyStart + bodyLength) return 'incomplete'
    if (bytes.length > bodyStart + bodyLength) return null
    return { method, target, headers, body: bodyLength === 0 ? EMPTY_BODY : bytes.subarray(bodyStart) }
  }
}

/**
 * Returns a function that parses header lines and caches the result, since clients send the same lines with each
 * request. The cache holds nothing that is derived from headers, such as the account of the caller.
 */
function openHeaderCache(): (lines: string) => IncomingHttpHeaders | null {
  const cache = new Map<string, IncomingHttpHeaders>()
  let size = 0
  return (lines) => {
    const known = cache.get(lines)
    if (known !== undefined) return known
    const headers = parseHeaders(lines.slice(2, -2))
    if (headers === null) return null
    size += lines.length + PER_CACHED
    if (size > MAX_CACHED) {
      cache.clear()
      size = lines.length + PER_CACHED
    }
    cache.set(lines, headers)
    return headers
  }
}

/** Returns the headers as node:http returns them; null if they are not plain, or one occurs twice. */
function parseHeaders(lines: string): IncomingHttpHeaders | null {
  const headers: IncomingHttpHeaders = {}
  for (const line of lines.split('\r\n')) {
    const [, written = '', value = ''] = HEADER_LINE.exec(line) ?? []
    const name = written.toLowerCase()
    if (name === '' || name in headers) return null
    if (SPECIAL.has(name) && !(name === 'connection' && value.toLowerCase() === 'keep-alive')) return null
    headers[name] = value
  }
  return headers.host === undefined ? null : headers
}
