import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../../platform/errors/refusal.ts'
import { type CommonHeaders, NO_COMMON_HEADERS } from './common-headers.ts'
import type { DeferredResponse } from './http-types.ts'
import { STATUS_CODES } from './node-http.ts'
import type { OpenConnections } from './open-connections.ts'
import { wireRefusalResponse } from './wire-refusals.ts'

/** Where connections come in, and those that are open. */
export type ConnectionAcceptor = {
  readonly server: Server
  readonly sockets: OpenConnections
  /** What every answer says. */
  readonly common: CommonHeaders
  /** Listens to a connection that node:http does not have. */
  readonly listen: (socket: Socket) => void
  /** Takes in what came on such a connection. */
  readonly hear: (socket: Socket, bytes: Buffer) => void
}

/** What the server remembers of one connection. */
export type Connection = {
  /** Undefined for what is no connection but a request of the tests. */
  door: ConnectionAcceptor | undefined
  /** The answer to the newest request; as answers go out in order, all are out when it is. */
  newest: ServerResponse | undefined
  /** Refuses the request whose body is still arriving; undefined while none is. */
  giveUpReading: ((refusal: Refusal) => void) | undefined
  /** Whether what still arrives is discarded. */
  givenUp: boolean
  /** Whether any byte has come on it. */
  hasSpoken: boolean
  /** The request that waits on it while node:http knows nothing of it; null while none does. */
  parked: ParkedRequest | null
  /** What came of a request that is not whole yet, while node:http knows nothing of it. */
  begun: Buffer | null
  /** How many requests in a row had to be given to node:http, since their lines were not known. */
  unknown: number
}

export type ParkedRequest = {
  readonly socket: Socket
  /** What it waits for, given up when its client is gone; null while it is judged. */
  answer: DeferredResponse | null
  /** How long its client is told that the connection is kept, in milliseconds. */
  readonly keepAlive: number
  /** What came behind it. */
  behind: Buffer
  /** Whether the client will send no more. */
  isHalfClosed: boolean
}

const CONNECTION = Symbol('connection')

type Marked = { [CONNECTION]?: Connection }

/** The same object for the same socket, each time. */
export function connectionOf(socket: Socket): Connection {
  const marked = socket as Marked
  marked[CONNECTION] ??= {
    door: undefined,
    newest: undefined,
    giveUpReading: undefined,
    givenUp: false,
    hasSpoken: false,
    parked: null,
    begun: null,
    unknown: 0,
  }
  return marked[CONNECTION]
}

/** Whether the connection is there for the next request, by what this one says; node:http heeds both headers. */
export function isKeepAlive({ httpVersion, headers }: IncomingMessage): boolean {
  const { connection = 'keep-alive', 'proxy-connection': proxyConnection } = headers
  return httpVersion === '1.1' && connection.toLowerCase() === 'keep-alive' && proxyConnection === undefined
}

/** Whether nothing is being read, answered, or still being written, on it. */
export function isIdle(socket: Socket): boolean {
  const { newest, parked, begun } = connectionOf(socket)
  if (parked !== null || begun !== null) return false
  return socket.writableLength === 0 && (newest === undefined || newest.writableFinished || newest.destroyed)
}

/** How long a client whose connection is given up may still send, so that it comes to read why; in milliseconds. */
const LINGER = 2000

/** Writes the refusal to a connection that no answer is due on any more, and closes it. */
export function refuseConnection(socket: Socket, refusal: Refusal): void {
  if (!socket.writable) return
  const { status, body } = wireRefusalResponse(refusal)
  const { text } = connectionOf(socket).door?.common ?? NO_COMMON_HEADERS
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Content-Type: application/json\r\n${text}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), LINGER).unref()
}
