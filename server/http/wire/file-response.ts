import type { Readable } from 'node:stream'
import type { HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'
import { parseRange, type Range } from './range.ts'

/** A file on the disk, with its headers. */
type ServedFile = {
  /** The size in bytes. */
  size: number
  /** Changes whenever the content does. */
  etag: string
  headers: Readonly<ResponseHeaders>
  open(range: Range): Readable
}

/** Returns the file, the requested part of it, or 304 if the client has it already. */
export function fileResponse(
  { headers: requestHeaders }: Pick<HttpRequest, 'headers'>,
  file: ServedFile,
): HttpResponse {
  const { size, etag } = file
  const headers = { ...file.headers, etag, 'accept-ranges': 'bytes' }
  if (matchesTag(etag, requestHeaders['if-none-match'])) return { status: 304, headers, body: '' }
  const isSame = requestHeaders['if-range'] === undefined || requestHeaders['if-range'] === etag
  const range = isSame ? parseRange(requestHeaders.range, size) : 'whole'
  if (range === null) return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: '' }
  if (range === 'whole')
    return { status: 200, headers, body: { length: size, open: () => file.open({ start: 0, end: size }) } }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end - 1}/${size}` },
    body: { length: end - start, open: () => file.open(range) },
  }
}

const matchesTag = (etag: string, list: string | undefined) =>
  list === '*' || (list?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false)
