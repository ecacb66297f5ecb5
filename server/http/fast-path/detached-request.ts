import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { DeferredResponse } from '../http-types.ts'
import { connectionOf, isKeepAlive, type OpenConnections } from '../wire/connection.ts'

/** Reads the connections of one server while they are detached from node:http. */
export type ConnectionReader = {
  readonly server: Server
  readonly sockets: OpenConnections
  /** Starts to listen to a connection that node:http does not have. */
  readonly listen: (socket: Socket) => void
  /** Handles bytes that arrived on such a connection. */
  readonly readBytes: (socket: Socket, bytes: Buffer) => void
}

/** The state that the fast path keeps for one connection. */
type FastConnection = {
  readonly reader: ConnectionReader
  /** True once a byte has arrived. */
  hasReceived: boolean
  /** The request that is being answered without node:http; null if there is none. */
  detached: DetachedRequest | null
  /** The bytes of a request that has not arrived completely, while node:http does not have the connection. */
  partial: Buffer | null
  /** The number of consecutive requests whose headers were not in the cache. */
  unknownInARow: number
}

/** A request that is answered without node:http. */
export type DetachedRequest = {
  readonly socket: Socket
  /**
   * The response that the request waits for. It is canceled when the client disconnects. Null while the request is
   * being handled.
   */
  deferred: DeferredResponse | null
  /** The time that the Keep-Alive header announces, in milliseconds. */
  readonly keepAlive: number
  /** The bytes that arrived after the request. */
  following: Buffer
  /** True if the client will send nothing more. */
  isHalfClosed: boolean
}

const FAST_CONNECTION = Symbol('fast connection')

type Marked = { [FAST_CONNECTION]?: FastConnection }

/** Returns the state of a connection; undefined for requests in tests that have no real connection. */
export function findFastConnection(socket: Socket): FastConnection | undefined {
  return (socket as Marked)[FAST_CONNECTION]
}

/** Returns the state of a connection that the fast path has read before. */
export function fastConnectionOf(socket: Socket): FastConnection {
  return (socket as Marked)[FAST_CONNECTION] as FastConnection
}

export function createFastConnection(reader: ConnectionReader, socket: Socket): void {
  const connection = { reader, hasReceived: false, detached: null, partial: null, unknownInARow: 0 }
  ;(socket as Marked)[FAST_CONNECTION] = connection
}

/** The parser of node:http. `finish` returns an error unless the parsed bytes may end here, and changes nothing. */
type Parsed = Socket & { parser?: { finish?(): unknown } | null }

/**
 * Detaches a connection from node:http and removes all its listeners. node:http then keeps nothing of the connection,
 * the request or the response. `server.emit('connection', socket)` gives the connection back. Returns false and does
 * nothing unless the request was read, its response is the next to be sent, and no byte of another request has arrived.
 */
export function detach(socket: Socket, response: ServerResponse): boolean {
  const { req: request } = response
  const isRead = request.complete && request.readableEnded
  if (socket.destroyed || response.socket !== socket || response.headersSent || !isRead || !isAtRequestEnd(socket))
    return false
  response.detachSocket(socket)
  // node:http releases a connection that closes. No code handles the errors that it then creates, so they need no
  // stack.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  socket.emit('close')
  Error.stackTraceLimit = stackTraceLimit
  for (const event of socket.eventNames()) socket.removeAllListeners(event)
  return true
}

/** Returns whether all bytes that arrived belong to whole requests. */
const isAtRequestEnd = ({ parser, readableLength }: Parsed) =>
  readableLength === 0 && typeof parser?.finish === 'function' && !(parser.finish() instanceof Error)

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
