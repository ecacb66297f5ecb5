import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { SHORT_BODY } from '../body/read-body.ts'
import { isKeepAlive } from '../wire/connection.ts'
import { splitTarget } from '../wire/request.ts'

/** The maximum length of the cached header lines of a request, in characters. Browsers send about 800, programs 300. */
const MAX_LENGTH = 2048

/** The maximum size of each half of the cache, in characters of header lines plus PER_LINE for each line. */
const MAX_CACHED = 4 * 2 ** 20

/** The characters that each line counts in addition to its own, because the parsed headers are kept as well. */
const PER_LINE = 64

/**
 * A cache of the headers that node:http parsed, by the text of their lines: clients send the same lines with each
 * request. It holds nothing that is derived from headers, such as the account of the caller.
 */
type HeaderCache = {
  /** Returns the parsed headers of these lines. Lines with a Content-Length are cached without its number. */
  find(lines: string): IncomingHttpHeaders | undefined
  /** Caches the header lines of a well-formed request. Returns whether they were cached before. */
  learn(request: IncomingMessage): boolean
}

export function openHeaderCache(): HeaderCache {
  let newer = new Map<string, IncomingHttpHeaders>()
  let older = new Map<string, IncomingHttpHeaders>()
  let size = 0

  function add(lines: string, headers: IncomingHttpHeaders): void {
    newer.set(lines, headers)
    size += lines.length + PER_LINE * Object.keys(headers).length
    if (size <= MAX_CACHED) return
    older = newer
    newer = new Map()
    size = 0
  }

  function find(lines: string): IncomingHttpHeaders | undefined {
    const recent = newer.get(lines)
    if (recent !== undefined) return recent
    const rare = older.get(lines)
    if (rare !== undefined) add(lines, rare)
    return rare
  }

  return {
    find,
    learn(request) {
      const lines = isPlain(request) ? linesOf(request) : null
      if (lines === null) return false
      if (find(lines) !== undefined) return true
      add(lines, request.headers)
      return false
    },
  }
}

/** Returns whether the header lines alone determine where the request ends, and the connection stays open after it. */
function isPlain(request: IncomingMessage): boolean {
  const { expect, upgrade, 'transfer-encoding': encoding } = request.headers
  return isKeepAlive(request) && expect === undefined && upgrade === undefined && encoding === undefined
}

/**
 * Returns the lines as most clients write them, from the end of the first line to the body; null if they are too long.
 */
function linesOf({ rawHeaders }: IncomingMessage): string | null {
  let lines = '\r\n'
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    lines += `${name}: ${isContentLength(name) ? '' : rawHeaders[at + 1]}\r\n`
  }
  return lines.length > MAX_LENGTH ? null : `${lines}\r\n`
}

const isContentLength = (name: string) => name.length === 14 && name.toLowerCase() === 'content-length'

/** A request whose header lines node:http has read before. */
export type CachedRequest = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type ParsingOptions = {
  readonly cache: HeaderCache
  /** Returns whether all responses to requests for this path are held in memory. */
  readonly answersInMemory: (path: string) => boolean
  readonly bodyLimit: (method: string, path: string) => number
  /** Returns whether the endpoint reads its files while they arrive. */
  readonly readsFiles: (method: string, path: string) => boolean
}

/** The first line, with only those characters that all servers interpret in the same way. */
const FIRST_LINE = /^(?:GET|POST|PUT|PATCH|DELETE) \/[\w\-.~%/?&=:+,;@!$*'()]* HTTP\/1\.1$/

const VERSION_LENGTH = ' HTTP/1.1'.length

const LENGTH = /(\r\ncontent-length: )(\d{1,5})\r\n/i

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = 0x0d

/** The maximum length of the first line with the header lines, in bytes. Longer bodies than SHORT_BODY go to node:http. */
const MAX_HEAD = 4096

/**
 * Returns the request if the bytes are exactly one request whose header lines are in the cache. Returns `incomplete` if
 * only a part of its body is missing, and null if node:http has to parse the bytes.
 */
export function parseCachedRequest(options: ParsingOptions, bytes: Buffer): CachedRequest | 'incomplete' | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1 || headEnd > MAX_HEAD) return null
  const bodyStart = headEnd + HEAD_END.length
  // The first line is decoded separately. A waiting poll keeps a part of this string, which keeps the whole string in
  // memory.
  const lineEnd = bytes.indexOf(LINE_END)
  const firstLine = bytes.toString('latin1', 0, lineEnd)
  if (!FIRST_LINE.test(firstLine)) return null

  const found = findHeaders(options.cache, bytes.toString('latin1', lineEnd, bodyStart))
  if (found === null) return null
  const { headers, bodyLength } = found
  const targetStart = firstLine.indexOf('/')
  const method = firstLine.slice(0, targetStart - 1)
  const { path, query } = splitTarget(firstLine.slice(targetStart, -VERSION_LENGTH))
  if (!options.answersInMemory(path) || options.readsFiles(method, path)) return null
  if (bodyLength > SHORT_BODY || bodyLength > options.bodyLimit(method, path)) return null

  if (bytes.length < bodyStart + bodyLength) return 'incomplete'
  if (bytes.length > bodyStart + bodyLength) return null
  return { method, path, query, headers, body: bytes.subarray(bodyStart) }
}

/** Returns the cached headers for these lines. The length of the body is the only value that may differ. */
function findHeaders(cache: HeaderCache, lines: string): { headers: IncomingHttpHeaders; bodyLength: number } | null {
  const exact = cache.find(lines)
  // Lines with a length are cached without its number: an exact match means that the number is missing.
  if (exact !== undefined) return hasLength(exact) ? null : { headers: exact, bodyLength: 0 }
  const found = LENGTH.exec(lines)
  if (found === null) return null
  const [, name = '', digits = ''] = found
  const start = found.index + name.length
  const headers = cache.find(lines.slice(0, start) + lines.slice(start + digits.length))
  return headers === undefined || !hasLength(headers) ? null : { headers, bodyLength: Number(digits) }
}

const hasLength = (headers: IncomingHttpHeaders) => headers['content-length'] !== undefined
