import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../../base/refusal.ts'
import { STATUS_CODES } from './node-http.ts'
import { refusalAnswer } from './wire-refusals.ts'

/** What the server remembers of one connection. */
export type Connection = {
  /** The answer to the newest request; as answers go out in order, all are out when it is. */
  newest: ServerResponse | undefined
  /** Refuses the request whose body is still arriving; undefined while none is. */
  giveUpReading: ((refusal: Refusal) => void) | undefined
  /** Whether what still arrives is discarded. */
  givenUp: boolean
}

const CONNECTION = Symbol('connection')

type Marked = { [CONNECTION]?: Connection }

/** The same object for the same socket, each time. */
export function connectionOf(socket: Socket): Connection {
  const marked = socket as Marked
  marked[CONNECTION] ??= { newest: undefined, giveUpReading: undefined, givenUp: false }
  return marked[CONNECTION]
}

/** Whether nothing is being answered, or still being written, on it. */
export function isQuiet(socket: Socket): boolean {
  const { newest } = connectionOf(socket)
  return socket.writableLength === 0 && (newest === undefined || newest.writableFinished || newest.destroyed)
}

/** How long a client whose connection is given up may still send, so that it comes to read why; in milliseconds. */
const LINGER = 2000

/** Writes the refusal to a connection that no answer is due on any more, and closes it. */
export function refuseConnection(socket: Socket, refusal: Refusal): void {
  if (!socket.writable) return
  const { status, body } = refusalAnswer(refusal)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  setTimeout(() => socket.destroy(), LINGER).unref()
}
