import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { jsonLength, PackedMembers, type SharedJson, toBytes, toGzip, toText } from '#lib/shared-json.ts'
import type { BufferedBody, BufferedResponse, HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'

// The bodies of responses: JSON, and files on the disk with ranges and entity tags. JSON is compressed if it is long
// enough, the client accepts gzip, and the caller allows it; very long JSON in another thread.

/** Bytes from `start` to before `end`. */
type Range = { start: number; end: number }

/**
 * Returns the part of `size` bytes that a Range header requests, or null if the file does not have it. Several parts,
 * and units other than bytes, count as `whole`.
 */
export function parseRange(header: string | undefined, size: number): Range | 'whole' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '')
    return Number(last) === 0 || size === 0 ? null : { start: Math.max(0, size - Number(last)), end: size }
  const [start, end] = [Number(first), last === '' ? size : Math.min(size, Number(last) + 1)]
  if (last !== '' && Number(last) < start) return 'whole'
  return start < size ? { start, end } : null
}

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

/** The minimum length of a body that is compressed, in characters. Shorter bodies fit into a few packets anyway. */
const MIN_COMPRESSED_LENGTH = 8 * 1024

/**
 * The minimum length of a body that another thread compresses, in characters. For shorter bodies, another thread would
 * cost more time.
 */
const LENGTH_FOR_THREAD = 64 * 1024

/** The maximum number of bodies that other threads compress at a time. Further responses are sent uncompressed. */
const MAX_IN_THREADS = 16

/** Level 3 compresses JSON as well as the default level 6, in half the time. */
const OPTIONS = { level: 3 }

const gzipInThread = promisify(gzip)

let inThreads = 0

/** Compresses the text of the response if the response allows it and the text is long enough. */
export function compressed(response: BufferedResponse): BufferedResponse | Promise<BufferedResponse>
export function compressed(response: HttpResponse): HttpResponse | Promise<HttpResponse>
export function compressed(response: HttpResponse): HttpResponse | Promise<HttpResponse> {
  const { body, mayCompress } = response
  if (mayCompress !== true || typeof body !== 'string' || body.length < MIN_COMPRESSED_LENGTH) return response
  if (body.length < LENGTH_FOR_THREAD) return withGzip(response, gzipSync(body, OPTIONS))
  return inThreads < MAX_IN_THREADS ? compressedInThread(response, body) : response
}

async function compressedInThread(response: HttpResponse, body: string): Promise<HttpResponse> {
  inThreads += 1
  try {
    return withGzip(response, await gzipInThread(body, OPTIONS))
  } finally {
    inThreads -= 1
  }
}

const withGzip = ({ status, headers }: HttpResponse, body: Buffer): HttpResponse => ({
  status,
  headers: { ...headers, 'content-encoding': 'gzip' },
  body,
})

let last = { header: '', acceptsGzip: false }

/** Returns whether the client accepts gzip. The last header is cached, since most requests have the same one. */
export function acceptsGzip(request: Pick<HttpRequest, 'headers'>): boolean {
  const header = String(request.headers['accept-encoding'] ?? '')
  if (header !== last.header) last = { header, acceptsGzip: acceptsEncoding(request, 'gzip') }
  return last.acceptsGzip
}

/** Returns whether the client accepts this encoding. */
export function acceptsEncoding({ headers }: Pick<HttpRequest, 'headers'>, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()))
    .some(([name, ...weights]) => name === encoding && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight)))
}

/**
 * The minimum length of JSON that is sent as shared bytes, in UTF-16 units. For shorter JSON, joining strings is
 * cheaper.
 */
const MIN_SHARED_LENGTH = 48 * 1024

/**
 * Returns the body in the form that is cheapest to send to the client, and adds the headers for it. Long texts that are
 * not shared are compressed in another thread.
 */
export function encodeJson(
  json: SharedJson,
  request: Pick<HttpRequest, 'headers'>,
  headers: ResponseHeaders,
): BufferedBody | Promise<BufferedBody> {
  const length = jsonLength(json)
  if (length < MIN_COMPRESSED_LENGTH) return toText(json)
  headers['vary'] = 'accept-encoding'
  const accepted = acceptsEncoding(request, 'gzip')
  if (accepted && inThreads < MAX_IN_THREADS && json.some(isLongText)) return packedJson(json, headers)
  return sharedBody(json, accepted, headers)
}

const isLongText = (part: SharedJson[number]): part is string =>
  typeof part === 'string' && part.length >= MIN_COMPRESSED_LENGTH

function sharedBody(json: SharedJson, isPacked: boolean, headers: ResponseHeaders): BufferedBody {
  const compressed = isPacked ? toGzip(json) : null
  if (compressed === null) return jsonLength(json) < MIN_SHARED_LENGTH ? toText(json) : toBytes(json)
  headers['content-encoding'] = 'gzip'
  return compressed
}

async function packedJson(json: SharedJson, headers: ResponseHeaders): Promise<BufferedBody> {
  inThreads += 1
  try {
    const pack = (part: SharedJson[number]) =>
      isLongText(part) ? PackedMembers.pack(part, OPTIONS.level).then((packed) => [packed]) : part
    return sharedBody(await Promise.all(json.map(pack)), true, headers)
  } finally {
    inThreads -= 1
  }
}

/** Returns the response with this JSON text. A long text is compressed when it is sent, if `mayCompress` is true. */
export function jsonTextResponse(body: string, headers: ResponseHeaders, mayCompress: boolean): BufferedResponse {
  if (body.length >= MIN_COMPRESSED_LENGTH) headers['vary'] = 'accept-encoding'
  return { status: 200, headers, body, mayCompress }
}
