import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '#lib/errors.ts'
import type { BufferedResponse, Fields, UploadedFile } from '../http-types.ts'
import { parseForm } from '../params.ts'
import { bodyTooLarge, malformedRequest, requestTimeout } from '../refusals.ts'
import { afterPendingReads, connectionOf } from '../wire/connection.ts'
import type { RequestContent } from '../wire/request.ts'
import { parseMultipart } from './multipart.ts'

/** The minimum rate of a body that may exceed 1 MiB or is not kept in memory, in bytes a second. */
export const MIN_RATE = 8 * 1024

type Rate = {
  /** The time that the body may take however slowly it arrives. */
  seconds: number
  /** For each of this many received bytes, the body may take one more second; 0 for no extension. */
  bytesPerSecond: number
  received: () => number
}

/** Calls `onTooSlow` when a body takes longer than it may. Returns a function that stops the watch. */
export function watchBodyRate({ seconds, bytesPerSecond, received }: Rate, onTooSlow: () => void): () => void {
  const startedAt = performance.now()
  let isOver = false
  let timer = setTimeout(look, seconds * 1000)

  function remaining(): number {
    const allowed = seconds + (bytesPerSecond === 0 ? 0 : received() / bytesPerSecond)
    return allowed * 1000 - (performance.now() - startedAt)
  }

  function look(): void {
    if (remaining() > 0) timer = setTimeout(look, remaining())
    else
      afterPendingReads(() => {
        if (isOver) return
        if (remaining() > 0) look()
        else onTooSlow()
      })
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

export const EMPTY_BODY = Buffer.alloc(0)

const MEBIBYTE = 1024 * 1024

/** The maximum length of a body whose sender has no valid credentials, in bytes. */
export const MAX_UNAUTHENTICATED = 64 * 1024

/** A body of at most this many bytes is parsed before its sender is known, because that costs less than finding out. */
export const SHORT_BODY = 4 * 1024

type ReadOptions = {
  /** The largest body that is accepted, in bytes. */
  readonly limit: number
  /**
   * The time that the body may take. A body with a limit of more than 1 MiB may take longer if it arrives fast enough.
   */
  readonly seconds: number
  /** Called with the number of bytes in each chunk. Returns a response if the rest must not be read. */
  readonly receive: (bytes: number) => BufferedResponse | null
}

/**
 * Returns the length of a body if its sender must be known before it is read: the declared length, or `limit` if none is
 * declared. Returns null for short and missing bodies, and for those that are refused in any case.
 */
export function lengthToAdmit({ headers }: IncomingMessage, limit: number): number | null {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (encoding !== undefined) return encoding.toLowerCase() === 'chunked' ? limit : null
  const declared = Number(length ?? 0)
  return declared > SHORT_BODY && declared <= limit ? declared : null
}

/**
 * Calls `done` with the whole body or with a refusal. Refuses the body at once if its declared length exceeds `limit`.
 * Otherwise, refuses it as soon as it exceeds the limit or takes too long, or the connection gives up on it. Never
 * calls `done` if the client disconnects.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limit, seconds, receive }: ReadOptions,
  done: (body: Buffer | Refusal | BufferedResponse) => void,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return done(EMPTY_BODY)
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return done(malformedRequest())
  if (Number(length ?? 0) > limit) return done(bodyTooLarge({ limit }))
  if (expect !== undefined) response.writeContinue()

  const connection = connectionOf(request.socket)
  const chunks: Buffer[] = []
  let received = 0
  const rate = { seconds, bytesPerSecond: limit > MEBIBYTE ? MIN_RATE : 0, received: () => received }
  const stopWatch = watchBodyRate(rate, () => finish(requestTimeout()))

  const stop = () => {
    stopWatch()
    // The next request on the connection may have begun to arrive.
    if (connection.giveUpReading === finish) connection.giveUpReading = undefined
    request.removeListener('data', onData)
    request.removeListener('end', onEnd)
    request.removeListener('close', stopWatch)
  }
  const finish = (body: Buffer | Refusal | BufferedResponse) => {
    stop()
    done(body)
  }
  const onData = (chunk: Buffer) => {
    received += chunk.length
    if (received > limit) return finish(bodyTooLarge({ limit }))
    const refused = receive(chunk.length)
    if (refused !== null) return finish(refused)
    chunks.push(chunk)
  }
  const onEnd = () => finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, received))
  connection.giveUpReading = finish
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('close', stopWatch)
}

const NO_FIELDS: Fields = new Map()
const NO_FILES: readonly UploadedFile[] = []

/** The methods whose bodies are read. */
export const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Parses the query and the body. A body that is not a form has no fields. */
export function parseRequest(
  request: { method: string; contentType: string | undefined },
  query: string,
  rawBody: Buffer,
): RequestContent {
  let counted = 0
  let queryFields = NO_FIELDS
  if (query !== '') {
    const fields = new Map<string, string>()
    counted = parseForm(query, fields, 0)
    queryFields = fields
  }
  const kind = rawBody.length > 0 && METHODS_WITH_BODY.has(request.method) ? formKind(request.contentType) : 'other'
  if (kind === 'other') return { query: queryFields, rawQuery: query, body: NO_FIELDS, files: NO_FILES, rawBody }

  const fields = new Map<string, string>()
  if (kind === 'multipart') {
    const files = parseMultipart(rawBody, request.contentType ?? '', fields, counted)
    return { query: queryFields, rawQuery: query, body: fields, files, rawBody }
  }
  parseForm(rawBody.toString('latin1'), fields, counted)
  return { query: queryFields, rawQuery: query, body: fields, files: NO_FILES, rawBody }
}

/** Returns how the parameters in a body of this content type are encoded. */
export function formKind(contentType: string | undefined): 'urlencoded' | 'multipart' | 'other' {
  if (contentType === 'application/x-www-form-urlencoded') return 'urlencoded'
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded'
  return type === 'multipart/form-data' ? 'multipart' : 'other'
}
