import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { type CommonHeaders, missingCommonHeaders } from './common-headers.ts'
import { connectionOf } from './connection.ts'
import type { BufferedResponse, HttpResponse, StreamedBody } from './http-types.ts'

/** How long the rest of a refused body is read and discarded, so that its sender comes to read why; milliseconds. */
const LINGER = 5000

/** Whether the connection ends with the answer, and what every answer says. */
type Manner = { closing: boolean; common: CommonHeaders }

/** Sends the answer whole; throws, with nothing sent, when a header cannot be written. */
export function respond(response: ServerResponse, answer: HttpResponse, { closing, common }: Manner): void {
  const { status, body } = answer
  response.writeHead(status, headerLines(answer, { closing, common }))
  if (isBodiless(status)) response.end()
  else if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body)
  else if (isStored(body)) sendStored(response, body)
  else endWithPieces(response, body)
}

export const isBodiless = (status: number) => status === 204 || status === 304

/** Names and values by turns. */
function headerLines(answer: HttpResponse, { closing, common }: Manner): (string | number)[] {
  const lines: (string | number)[] = ownHeaderLines(answer)
  lines.push(...missingCommonHeaders(common, answer.headers))
  if (!isBodiless(answer.status)) lines.push('content-length', byteLength(answer.body))
  if (closing) lines.push('connection', 'close')
  return lines
}

/** Those that the answer names, and what its body is: by turns as well. */
export function ownHeaderLines({ status, headers }: HttpResponse): string[] {
  const lines: string[] = []
  let typed = isBodiless(status)
  for (const name in headers) {
    if (name === 'content-type') typed = true
    const value = headers[name] ?? []
    if (typeof value === 'string') lines.push(name, value)
    else for (const line of value) lines.push(name, line)
  }
  if (!typed) lines.push('content-type', 'application/json')
  return lines
}

/** Whether all of it is there. */
export const isBuffered = (answer: HttpResponse): answer is BufferedResponse =>
  typeof answer.body === 'string' || Buffer.isBuffer(answer.body) || !isStored(answer.body)

const isStored = (body: readonly Buffer[] | StreamedBody): body is StreamedBody => 'open' in body

export function byteLength(body: HttpResponse['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (Buffer.isBuffer(body) || isStored(body)) return body.length
  return body.reduce((length, piece) => length + piece.length, 0)
}

/** As fast as it is taken. A file that cannot be read to its end breaks the connection: the client must not believe it whole. */
function sendStored(response: ServerResponse, body: StreamedBody): void {
  if (response.req.method === 'HEAD') response.end()
  else pipeline(body.open(), response, () => {})
}

/** Hands all pieces to the system at once. */
function endWithPieces(response: ServerResponse, pieces: readonly Buffer[]): void {
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
}

/** Answers a request that has not arrived whole, and closes the connection once its sender had time to read the answer. */
export function respondUnread(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse,
  common: CommonHeaders,
): void {
  const { body } = answer
  response.writeHead(answer.status, headerLines(answer, { closing: true, common }))
  if (typeof body === 'string' || Buffer.isBuffer(body)) response.write(body)
  else throw new Error('Only short answers are given before a request is read')
  const connection = connectionOf(request.socket)
  const end = () => {
    clearTimeout(timer)
    if (connection.giveUpReading === end) connection.giveUpReading = undefined
    response.end()
  }
  // Closing with bytes unread would reset the connection, and the sender would lose the answer.
  const timer = setTimeout(end, LINGER)
  timer.unref()
  if (request.complete || request.readableEnded || connection.givenUp) return end()
  connection.giveUpReading = end
  request.resume().once('close', end).once('end', end)
}
