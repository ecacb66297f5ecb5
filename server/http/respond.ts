import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '../base/refusal.ts'
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
  if (!bodiless) lines.push('content-length', typeof body === 'string' ? Buffer.byteLength(body) : body.length)
  if (closing) lines.push('connection', 'close')
  response.writeHead(status, lines as never)
  response.end(bodiless ? undefined : body)
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
  if (request.complete) {
    response.end()
    return
  }
  // Closing with bytes unread would reset the connection, and the sender would lose the answer.
  const timer = setTimeout(() => response.end(), LINGER)
  timer.unref()
  request
    .resume()
    .once('close', () => clearTimeout(timer))
    .once('end', () => response.end())
}
