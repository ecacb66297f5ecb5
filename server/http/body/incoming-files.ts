import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '#lib/errors.ts'
import type { IncomingFiles } from '../http-types.ts'
import { bodyTooLarge, malformedMultipart, malformedRequest, requestTimeout } from '../refusals.ts'
import { connectionOf } from '../wire/connection.ts'
import { streamFiles } from './multipart.ts'
import { formKind, MIN_RATE, watchBodyRate } from './read-body.ts'

/**
 * Opens the files in the body of a request. The body may take `seconds`, or longer if it arrives at MIN_RATE or faster.
 * Nothing is read, and no 100 Continue is sent, before `read` is called.
 */
export function openIncomingFiles(
  request: IncomingMessage,
  response: ServerResponse,
  fields: Map<string, string>,
  seconds: number,
): IncomingFiles & { readonly isWhole: boolean } {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type, expect } = request.headers
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0')
  let isWhole = !hasBody
  let received = 0

  async function* read(limit: number) {
    if (isWhole) return
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') throw malformedRequest()
    if (expect !== undefined) response.writeContinue()
    const onChunk = (length: number) => {
      received += length
    }
    const chunks = chunksOf(request, { limit, seconds, onChunk }, () => {
      isWhole = true
    })
    if (formKind(type) === 'multipart') yield* streamFiles(chunks, type ?? '', fields)
  }
  return {
    declaredLength: encoding === undefined ? Number(length ?? 0) : null,
    read,
    get received() {
      return received
    },
    get isWhole() {
      return isWhole
    },
  }
}

async function* chunksOf(
  request: IncomingMessage,
  { limit, seconds, onChunk }: { limit: number; seconds: number; onChunk: (length: number) => void },
  onEnd: () => void,
): AsyncGenerator<Buffer> {
  const connection = connectionOf(request.socket)
  // The client may have disconnected while the request waited.
  if (connection.givenUp) throw malformedRequest()
  let givenUp: { readonly reason: Refusal } | null = null
  let failPendingRead = (_reason: Refusal) => {}
  const giveUp = (reason: Refusal) => {
    givenUp ??= { reason }
    failPendingRead(reason)
  }
  connection.giveUpReading = giveUp
  // The request outlives its iterator, so that its sender can read the refusal.
  const chunks = (request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>)[Symbol.asyncIterator]()
  let received = 0
  const rate = { seconds, bytesPerSecond: MIN_RATE, received: () => received }
  const stopWatch = watchBodyRate(rate, () => giveUp(requestTimeout()))
  // A race with one promise for the whole body would keep every chunk in memory until the body ends.
  const next = () =>
    new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      if (givenUp !== null) return reject(givenUp.reason)
      failPendingRead = reject
      chunks.next().then(resolve, reject)
    })
  try {
    for (;;) {
      const { done, value } = await next()
      if (done) break
      received += value.length
      onChunk(value.length)
      if (received > limit) throw bodyTooLarge({ limit })
      yield value
    }
    onEnd()
  } catch (error) {
    throw error instanceof Refusal ? error : malformedMultipart({ complaint: 'it ends unexpectedly' })
  } finally {
    stopWatch()
    if (connection.giveUpReading === giveUp) connection.giveUpReading = undefined
    // `return` would wait for the next chunk, which may never come if the request was abandoned.
    if (givenUp === null) await chunks.return?.()
  }
}
