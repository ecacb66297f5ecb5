import type { Readable } from 'node:stream'
import type { HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'
import { parseRange, type Range } from './range.ts'

/** A file that lies on the disk, and what is said of it. */
export type ServedFile = {
  /** In bytes. */
  size: number
  /** Changes whenever the bytes do. */
  etag: string
  headers: Readonly<ResponseHeaders>
  open(range: Range): Readable
}

/** Answers with the file, the part of it that is asked for, or that the client has it already. */
export function fileResponse({ headers: asked }: Pick<HttpRequest, 'headers'>, file: ServedFile): HttpResponse {
  const { size, etag } = file
  const headers = { ...file.headers, etag, 'accept-ranges': 'bytes' }
  if (isAmong(etag, asked['if-none-match'])) return { status: 304, headers, body: '' }
  const isSame = asked['if-range'] === undefined || asked['if-range'] === etag
  const range = isSame ? parseRange(asked.range, size) : 'whole'
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

const isAmong = (etag: string, list: string | undefined) =>
  list === '*' || (list?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false)
