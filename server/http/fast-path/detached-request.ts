import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { connectionOf, isKeepAlive } from '../wire/connection.ts'
import { detach } from './detach.ts'
import { type ConnectionReader, type DetachedRequest, fastConnectionOf, findFastConnection } from './fast-connection.ts'

const NOTHING = Buffer.alloc(0)

/** After this many consecutive requests with unknown headers, a connection stays with node:http. */
const MAX_UNKNOWN_IN_A_ROW = 4

/** The methods whose responses have a body. */
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Detaches the connection of a request from node:http until a request arrives that node:http has to read. While the
 * request waits, it takes little memory. Returns null and changes nothing if node:http has to respond: when the
 * connection closes after the response, when earlier responses are due or not read yet, or when anything has arrived
 * after the request.
 */
export function detachRequest(response: ServerResponse): DetachedRequest | null {
  const { req: request } = response
  const { socket } = request
  const connection = findFastConnection(socket)
  const byNode = connectionOf(socket)
  if (connection === undefined || byNode.newest !== response || byNode.givenUp) return null
  if (!METHODS.has(request.method) || !isKeepAlive(request)) return null
  // node:http resumes reading when the client has read the earlier responses.
  if (socket.isPaused()) return null
  if (!detach(socket, response)) return null

  const { reader } = connection
  byNode.newest = undefined
  connection.detached = createDetachedRequest(reader, socket)
  // The connection is open, although node:http believes that it closed.
  reader.sockets.add(socket)
  reader.listen(socket)
  startIdleTimeout(reader, socket)
  return connection.detached
}

/**
 * Detaches a request with known headers, as `detachRequest` does. Returns null if too many requests in a row on its
 * connection had unknown headers.
 */
export function detachKnownRequest(response: ServerResponse): DetachedRequest | null {
  const { unknownInARow = 0 } = findFastConnection(response.req.socket) ?? {}
  return unknownInARow < MAX_UNKNOWN_IN_A_ROW ? detachRequest(response) : null
}

export const createDetachedRequest = ({ server }: ConnectionReader, socket: Socket): DetachedRequest => ({
  socket,
  deferred: null,
  keepAlive: server.keepAliveTimeout,
  following: NOTHING,
  isHalfClosed: socket.readableEnded,
})

/** Returns whether the client will send no request after this one. */
export const isLast = ({ following, isHalfClosed }: DetachedRequest): boolean => isHalfClosed && following.length === 0

/**
 * Sends the response unless the client has disconnected. Afterwards the connection waits for the next request, or
 * closes.
 */
export function writeResponse(request: DetachedRequest, bytes: string | readonly Buffer[], closes: boolean): void {
  const { socket, following, isHalfClosed } = request
  const connection = fastConnectionOf(socket)
  if (connection.detached !== request) return
  connection.detached = null
  write(socket, bytes)
  const { reader } = connection
  startIdleTimeout(reader, socket)
  if (closes) return void socket.end()
  if (following.length === 0) return
  socket.resume()
  reader.readBytes(socket, following)
  if (isHalfClosed) socket.emit('end')
}

function write(socket: Socket, bytes: string | readonly Buffer[]): void {
  if (typeof bytes === 'string') return void socket.write(bytes)
  socket.cork()
  for (const piece of bytes) socket.write(piece)
  socket.uncork()
}

/** Every byte that is read or written restarts the timeout. The timeout has no effect while a request waits. */
function startIdleTimeout(reader: ConnectionReader, socket: Socket): void {
  const timeout = idleTimeoutOf(reader, socket)
  if (socket.timeout !== timeout) socket.setTimeout(timeout)
}

/**
 * Returns how long a connection may be idle after a response, in milliseconds: longer than the Keep-Alive header
 * announces.
 */
export function idleTimeoutOf({ server }: ConnectionReader, { writableLength }: Socket): number {
  const { timeout, keepAliveTimeout, keepAliveTimeoutBuffer } = server
  return writableLength > 0 ? timeout : keepAliveTimeout + keepAliveTimeoutBuffer
}
