import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isKeepAlive } from './connection.ts'

/** Characters of a head that is remembered; browsers send some 800, programs 300. */
const MAX_LENGTH = 2048

/** What each half of the memory holds at most: characters of the heads, and what each of their lines takes beside them. */
const MAX_KEPT = 4 * 2 ** 20

/** Of a line however short, since what was understood of it is kept as well. */
const LINE_TAKES = 64

/**
 * How node:http understood the header lines of earlier requests, by their text: clients say the same each time. Nothing
 * that follows from them is remembered, such as whose request it is.
 */
export type KnownHeads = {
  /** What such lines say; those that say how long the body is are known without the number. */
  find(lines: string): IncomingHttpHeaders | undefined
  /** Remembers the lines of a well-formed request; returns whether they were known. */
  learn(request: IncomingMessage): boolean
}

export function openKnownHeads(): KnownHeads {
  let newer = new Map<string, IncomingHttpHeaders>()
  let older = new Map<string, IncomingHttpHeaders>()
  let kept = 0

  function keep(lines: string, headers: IncomingHttpHeaders): void {
    newer.set(lines, headers)
    kept += lines.length + LINE_TAKES * Object.keys(headers).length
    if (kept <= MAX_KEPT) return
    older = newer
    newer = new Map()
    kept = 0
  }

  function find(lines: string): IncomingHttpHeaders | undefined {
    const known = newer.get(lines)
    if (known !== undefined) return known
    const rarer = older.get(lines)
    if (rarer !== undefined) keep(lines, rarer)
    return rarer
  }

  return {
    find,
    learn(request) {
      const lines = isPlain(request) ? linesOf(request) : null
      if (lines === null) return false
      if (find(lines) !== undefined) return true
      keep(lines, request.headers)
      return false
    },
  }
}

/** Whether the lines alone say where the request ends, and that its connection goes on. */
function isPlain(request: IncomingMessage): boolean {
  const { expect, upgrade, 'transfer-encoding': encoding } = request.headers
  return isKeepAlive(request) && expect === undefined && upgrade === undefined && encoding === undefined
}

/** The lines as most clients write them, from the end of the first to the end of the head; null for what is too long. */
function linesOf({ rawHeaders }: IncomingMessage): string | null {
  let lines = '\r\n'
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    lines += `${name}: ${isLength(name) ? '' : rawHeaders[at + 1]}\r\n`
  }
  return lines.length > MAX_LENGTH ? null : `${lines}\r\n`
}

const isLength = (name: string) => name.length === 14 && name.toLowerCase() === 'content-length'
