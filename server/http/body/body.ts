import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '../../platform/errors/refusal.ts'
import { connectionOf } from '../wire/connection.ts'
import type { Fields, UploadedFile } from '../wire/http-types.ts'
import type { RequestContent } from '../wire/to-http-request.ts'
import { bodyTooLarge, malformedRequest, requestTimeout } from '../wire/wire-refusals.ts'
import { parseForm } from './form.ts'
import { readMultipart } from './multipart.ts'
import { MIN_RATE, watchBodyRate } from './watch-body-rate.ts'

export const EMPTY_BODY = Buffer.alloc(0)

const MEBIBYTE = 1024 * 1024

/** So much of a body is read before it is known who sends it, in bytes. */
export const MAX_UNAUTHENTICATED = 64 * 1024

/** How a body is read. */
export type ReadOptions = {
  /** The most bytes that it may have. */
  readonly limit: number
  /** How long it may take; one that may have more than 1 MiB takes longer as long as it comes fast enough. */
  readonly seconds: number
  /** Asked once when more than MAX_UNPROVEN bytes have come; null when the rest may be read, else what refuses it. */
  readonly checkSender: () => Promise<(() => void) | null>
}

/**
 * Hands over the whole body, or why it is refused: at once when its announced length is beyond `limit`, else as soon as
 * it grows beyond it, takes too long, or the connection gives it up. Hands over nothing when the client goes away.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limit, seconds, checkSender }: ReadOptions,
  done: (body: Buffer | Refusal) => void,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return done(EMPTY_BODY)
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return done(malformedRequest())
  if (Number(length ?? 0) > limit) return done(bodyTooLarge({ limit }))
  if (expect !== undefined) response.writeContinue()

  const connection = connectionOf(request.socket)
  const chunks: Buffer[] = []
  let received = 0
  let [isChecked, isOver] = [false, false]
  const pace = { seconds, rate: limit > MEBIBYTE ? MIN_RATE : 0, received: () => received }
  const endWatch = watchBodyRate(pace, () => finish(requestTimeout()))

  const stop = () => {
    isOver = true
    endWatch()
    // The next request on the connection may have begun to arrive.
    if (connection.giveUpReading === finish) connection.giveUpReading = undefined
    request.removeListener('data', keep)
    request.removeListener('end', deliver)
    request.removeListener('close', endWatch)
  }
  const finish = (body: Buffer | Refusal) => {
    stop()
    done(body)
  }
  const keep = (chunk: Buffer) => {
    received += chunk.length
    if (received > limit) return finish(bodyTooLarge({ limit }))
    chunks.push(chunk)
    if (received > MAX_UNAUTHENTICATED && !isChecked) check()
  }
  const check = () => {
    isChecked = true
    request.pause()
    void checkSender().then((refuse) => {
      if (isOver) return
      if (refuse === null) return void request.resume()
      stop()
      refuse()
    })
  }
  const deliver = () => finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, received))
  connection.giveUpReading = finish
  request.on('data', keep)
  request.on('end', deliver)
  request.on('close', endWatch)
}

const EMPTY: Fields = new Map()
const NO_FILES: readonly UploadedFile[] = []
/** The methods whose bodies are read. */
export const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** What a request says in its query and its body; any content type that is no form says nothing. */
export function parseRequest(
  request: { method: string; contentType: string | undefined },
  query: string,
  bytes: Buffer,
): RequestContent {
  let counted = 0
  let queryFields = EMPTY
  if (query !== '') {
    const fields = new Map<string, string>()
    counted = parseForm(query, fields, 0)
    queryFields = fields
  }
  const kind = bytes.length > 0 && METHODS_WITH_BODY.has(request.method) ? formKind(request.contentType) : 'other'
  if (kind === 'other') return { query: queryFields, body: EMPTY, files: NO_FILES, bytes }

  const fields = new Map<string, string>()
  if (kind === 'multipart') {
    const files = readMultipart(bytes, request.contentType ?? '', fields, counted)
    return { query: queryFields, body: fields, files, bytes }
  }
  parseForm(bytes.toString('latin1'), fields, counted)
  return { query: queryFields, body: fields, files: NO_FILES, bytes }
}

/** How the parameters in a body of this type are written, if it has any. */
export function formKind(contentType: string | undefined): 'urlencoded' | 'multipart' | 'other' {
  if (contentType === 'application/x-www-form-urlencoded') return 'urlencoded'
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded'
  return type === 'multipart/form-data' ? 'multipart' : 'other'
}
