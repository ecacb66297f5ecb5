import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { BufferedResponse, HttpResponse } from './http-types.ts'

/** In characters: a shorter text fits into a few packets. */
export const MIN_COMPRESSED_LENGTH = 8 * 1024

/** From this length on, in characters, another thread compresses the text; handing over a shorter one costs more than it saves. */
const LENGTH_FOR_THREAD = 64 * 1024

/** The most texts that other threads compress or are to compress; further answers are sent as they are. */
const MAX_IN_THREADS = 16

/** For JSON as small as the usual level 6, in half the time. */
const OPTIONS = { level: 3 }

const gzipInThread = promisify(gzip)

let inThreads = 0

/** Returns the answer with its text compressed, where the answer allows it and the text is long enough. */
export function compressed(answer: BufferedResponse): BufferedResponse | Promise<BufferedResponse>
export function compressed(answer: HttpResponse): HttpResponse | Promise<HttpResponse>
export function compressed(answer: HttpResponse): HttpResponse | Promise<HttpResponse> {
  const { body, mayCompress } = answer
  if (mayCompress !== true || typeof body !== 'string' || body.length < MIN_COMPRESSED_LENGTH) return answer
  if (body.length < LENGTH_FOR_THREAD) return withGzip(answer, gzipSync(body, OPTIONS))
  return inThreads < MAX_IN_THREADS ? compressedInThread(answer, body) : answer
}

async function compressedInThread(answer: HttpResponse, body: string): Promise<HttpResponse> {
  inThreads += 1
  try {
    return withGzip(answer, await gzipInThread(body, OPTIONS))
  } finally {
    inThreads -= 1
  }
}

const withGzip = ({ status, headers }: HttpResponse, body: Buffer): HttpResponse => ({
  status,
  headers: { ...headers, 'content-encoding': 'gzip' },
  body,
})
