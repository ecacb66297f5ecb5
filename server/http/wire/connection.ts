import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '#lib/errors/refusal.ts'
import { type CommonHeaders, NO_COMMON_HEADERS } from './common-headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { wireRefusalResponse } from './wire-refusals.ts'

/** The state that the server keeps for one connection. */
export type Connection = {
  /** The headers that every response on the connection has. */
  common: CommonHeaders
  /**
   * The response to the newest request. Responses are sent in order, so all responses are finished when this one is.
   */
  newest: ServerResponse | undefined
  /** Refuses the request whose body is still arriving; undefined when none is. */
  giveUpReading: ((refusal: Refusal) => void) | undefined
  /** True if everything that still arrives is discarded. */
  givenUp: boolean
}

const CONNECTION = Symbol('connection')

type Marked = { [CONNECTION]?: Connection }

/** Returns the state of a connection, always the same object for the same socket. */
export function connectionOf(socket: Socket): Connection {
  const marked = socket as Marked
  marked[CONNECTION] ??= { common: NO_COMMON_HEADERS, newest: undefined, giveUpReading: undefined, givenUp: false }
  return marked[CONNECTION]
}

/** Returns whether the connection stays open after this request. node:http obeys both headers. */
export function isKeepAlive({ httpVersion, headers }: IncomingMessage): boolean {
  const { connection = 'keep-alive', 'proxy-connection': proxyConnection } = headers
  return httpVersion === '1.1' && connection.toLowerCase() === 'keep-alive' && proxyConnection === undefined
}

/** Returns whether no request is being read or answered on the connection, and nothing is still being written. */
export function isIdle(socket: Socket): boolean {
  const { newest } = connectionOf(socket)
  return socket.writableLength === 0 && (newest === undefined || newest.writableFinished || newest.destroyed)
}

/** The time for which a refused client may continue to send, so that it can read the refusal, in milliseconds. */
const LINGER = 2000

/** Sends the refusal, and closes the connection. No other response may be due on it. */
export function refuseConnection(socket: Socket, refusal: Refusal): void {
  if (!socket.writable) return
  const { status, body } = wireRefusalResponse(refusal)
  const { text } = connectionOf(socket).common
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Content-Type: application/json\r\n${text}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), LINGER).unref()
}
