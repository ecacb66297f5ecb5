import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '../base/refusal.ts'
import { connectionOf } from './connection.ts'
import type { Answer } from './exchange.ts'
import { refusalAnswer } from './wire-refusals.ts'

/** How long the rest of a refused body is read and discarded, so that its sender comes to read why; milliseconds. */
const LINGER = 5000

/** Sends the answer whole; throws, with nothing sent, when a header cannot be written. */
export function respond(response: ServerResponse, { status, headers, body }: Answer, closing: boolean): void {
  const bodiless = status === 204 || status === 304
  const lines: (string | number)[] = []
  let typed = bodiless
  for (const name in headers) {
    if (name === 'content-type') typed = true
    lines.push(name, headers[name] as string)
  }
  if (!typed) lines.push('content-type', 'application/json')
  if (!bodiless) lines.push('content-length', byteLength(body))
  if (closing) lines.push('connection', 'close')
  response.writeHead(status, lines)
  if (bodiless) response.end()
  else if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body)
  else endWithPieces(response, body)
}

function byteLength(body: Answer['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return Buffer.isBuffer(body) ? body.length : body.reduce((length, piece) => length + piece.length, 0)
}

/** Hands all pieces to the system at once. */
function endWithPieces(response: ServerResponse, pieces: readonly Buffer[]): void {
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
}

/** Refuses a request that has not arrived whole, and closes the connection once its sender had time to read why. */
export function refuseUnread(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { status, body } = refusalAnswer(refusal)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  response.write(body)
  const connection = connectionOf(request.socket)
  const end = () => {
    clearTimeout(timer)
    if (connection.giveUpReading === end) connection.giveUpReading = undefined
    response.end()
  }
  // Closing with bytes unread would reset the connection, and the sender would lose the answer.
  const timer = setTimeout(end, LINGER)
  timer.unref()
  if (request.complete || connection.givenUp) return end()
  connection.giveUpReading = end
  request.resume().once('close', end).once('end', end)
}
