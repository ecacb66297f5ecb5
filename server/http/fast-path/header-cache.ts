import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isKeepAlive } from '../wire/connection.ts'

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
export type HeaderCache = {
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
