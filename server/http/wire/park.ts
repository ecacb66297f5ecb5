import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionAcceptor, connectionOf, isKeepAlive, type ParkedRequest } from './connection.ts'
import { detach } from './detach.ts'

const NOTHING = Buffer.alloc(0)

/** So many requests in a row that node:http had to read, and a connection stays with it. */
const MAX_UNKNOWN = 4

/** Those that have a body, and answers that have one. */
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Parks the connection of a request that was read: node:http knows nothing of it until one comes that it has to read, so
 * that waiting takes little memory, and asking the same again little time. Null, and nothing is changed, where it must be
 * answered as others are: when its connection does not go on, when other answers are due before it or not taken yet, or
 * when more has arrived behind it, even if it was nonsense.
 */
export function park(response: ServerResponse): ParkedRequest | null {
  const { req: request } = response
  const { socket } = request
  const connection = connectionOf(socket)
  const { door, newest, givenUp } = connection
  if (door === undefined || newest !== response || givenUp) return null
  if (!METHODS.has(request.method) || !isKeepAlive(request)) return null
  // node:http reads on once those before it are taken.
  if (socket.isPaused()) return null
  if (!detach(socket, response)) return null

  connection.newest = undefined
  connection.parked = parkedRequest(door, socket)
  // It has not closed, though node:http was told so.
  door.sockets.add(socket)
  door.listen(socket)
  beginPatience(door, socket)
  return connection.parked
}

/** As `park`, of a request whose lines were known: on a connection where that was seldom so, node:http is better. */
export function parkKnown(response: ServerResponse): ParkedRequest | null {
  return connectionOf(response.req.socket).unknown < MAX_UNKNOWN ? park(response) : null
}

/** A request that begins to wait on this connection. */
export const parkedRequest = ({ server }: ConnectionAcceptor, socket: Socket): ParkedRequest => ({
  socket,
  answer: null,
  keepAlive: server.keepAliveTimeout,
  behind: NOTHING,
  isHalfClosed: socket.readableEnded,
})

/** Whether its client will ask nothing after it. */
export const isLast = ({ behind, isHalfClosed }: ParkedRequest): boolean => isHalfClosed && behind.length === 0

/** Sends a parked request's answer, unless its client is gone; then the connection waits for the next one, or closes. */
export function answerParked(request: ParkedRequest, bytes: string | readonly Buffer[], closing: boolean): void {
  const { socket, behind, isHalfClosed } = request
  const connection = connectionOf(socket)
  if (connection.parked !== request) return
  connection.parked = null
  write(socket, bytes)
  const door = doorOf(socket)
  beginPatience(door, socket)
  if (closing) return void socket.end()
  if (behind.length === 0) return
  socket.resume()
  door.hear(socket, behind)
  if (isHalfClosed) socket.emit('end')
}

function write(socket: Socket, bytes: string | readonly Buffer[]): void {
  if (typeof bytes === 'string') return void socket.write(bytes)
  socket.cork()
  for (const piece of bytes) socket.write(piece)
  socket.uncork()
}

/** Whatever node:http does not have came in by a door. */
const doorOf = (socket: Socket) => connectionOf(socket).door as ConnectionAcceptor

/** Each byte that comes or goes begins it anew; while a request waits it does not count. */
function beginPatience(door: ConnectionAcceptor, socket: Socket): void {
  const patience = patienceWith(door, socket)
  if (socket.timeout !== patience) socket.setTimeout(patience)
}

/** How long nothing may move on a connection after an answer, in milliseconds: longer than clients are told. */
export function patienceWith({ server }: ConnectionAcceptor, { writableLength }: Socket): number {
  const { timeout, keepAliveTimeout, keepAliveTimeoutBuffer } = server
  return writableLength > 0 ? timeout : keepAliveTimeout + keepAliveTimeoutBuffer
}
