import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { DeferredResponse, HttpResponse } from '../http-types.ts'
import { requestTimeout } from '../refusals.ts'
import { afterPendingReads, connectionOf, type OpenConnections, refuseConnection } from './connection.ts'
import { openParser, type PlainRequest } from './plain-request.ts'
import { Reception } from './receive.ts'
import { reportRequest } from './request.ts'
import { isBuffered, rawResponse } from './respond.ts'
import type { ServerContext } from './server-context.ts'

/**
 * The maximum number of bytes to keep that arrive while a request is answered. The rest stays with the client until
 * then.
 */
const MAX_PENDING = 16 * 1024

/**
 * The time after which a body without progress goes to node:http with its headers, in milliseconds. node:http waits
 * longer.
 */
const BODY_FOLLOWS_WITHIN = 1000

const NOTHING: Buffer = Buffer.alloc(0)

/** The state of a connection that is read without node:http. */
class PlainConnection {
  readonly socket: Socket
  /** True once a byte has arrived. */
  hasReceived = false
  /** The request that is being answered; null if there is none. */
  current: PlainReception | null = null
  /** The bytes that arrived after the current request, or the part of a request that has arrived. */
  pending = NOTHING
  /** True if the client will send nothing more. */
  isHalfClosed = false

  constructor(socket: Socket) {
    this.socket = socket
  }

  isIdle(): boolean {
    return this.current === null && this.pending.length === 0
  }

  takePending(): Buffer {
    const { pending } = this
    this.pending = NOTHING
    return pending
  }
}

const plainConnectionOf = (socket: Socket) => connectionOf(socket).plain as PlainConnection

/**
 * Returns a function that reads a new connection for as long as plain requests arrive on it. A waiting poll then takes
 * little memory. At any other request, the connection goes to node:http for good, with the bytes that have arrived.
 * docs/decisions/0020 says what this saves and how to turn it off.
 */
export function openPlainReader(
  context: ServerContext,
  server: Server,
  sockets: OpenConnections,
  readByNode: (socket: Socket) => void,
): (socket: Socket) => void {
  const parse = openParser(context)

  /** Hands the connection to node:http as if it had begun with these bytes. */
  function handOver(socket: Socket, bytes: Buffer): void {
    connectionOf(socket).plain = null
    socket.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError).off('timeout', onTimeout)
    readByNode(socket)
    socket.emit('data', bytes)
  }

  /**
   * Reads the bytes. If a request arrives in more than two pieces, hands the connection to node:http, which limits slow
   * bodies.
   */
  function readBytes(connection: PlainConnection, bytes: Buffer, isContinued = false): void {
    const { socket } = connection
    connection.hasReceived = true
    // node:http slows down a client that does not read its responses.
    const request = socket.writableLength > 0 ? null : parse(bytes)
    if (request === 'incomplete' && !isContinued) {
      connection.pending = bytes
      socket.setTimeout(BODY_FOLLOWS_WITHIN)
    } else if (request === null || request === 'incomplete') handOver(socket, bytes)
    else {
      connection.current = new PlainReception(context, request, connection, finish)
      connection.current.enqueue()
    }
  }

  /** Ends the current request with a response. The connection then waits for the next request, or closes. */
  function finish(connection: PlainConnection, response: string | readonly Buffer[], closes: boolean): void {
    const { socket, isHalfClosed } = connection
    connection.current = null
    write(socket, response)
    startIdleTimeout(socket)
    if (closes) return void socket.end()
    const bytes = connection.takePending()
    if (bytes.length === 0) return
    socket.resume()
    readBytes(connection, bytes)
    if (isHalfClosed) socket.emit('end')
  }

  /** Every byte that is read or written restarts the timeout. The timeout has no effect while a request waits. */
  function startIdleTimeout(socket: Socket): void {
    const timeout = idleTimeoutOf(socket)
    if (socket.timeout !== timeout) socket.setTimeout(timeout)
  }

  /** A connection may be idle longer than the Keep-Alive header announces. */
  function idleTimeoutOf({ writableLength }: Socket): number {
    return writableLength > 0 ? server.timeout : server.keepAliveTimeout + server.keepAliveTimeoutBuffer
  }

  function onData(this: Socket, bytes: Buffer): void {
    const connection = plainConnectionOf(this)
    const { current } = connection
    const isContinued = connection.pending.length > 0
    const all = isContinued ? Buffer.concat([connection.takePending(), bytes]) : bytes
    if (current === null) return readBytes(connection, all, isContinued)
    connection.pending = all
    if (all.length > MAX_PENDING) this.pause()
  }

  function onEnd(this: Socket): void {
    const connection = plainConnectionOf(this)
    connection.isHalfClosed = true
    if (connection.current !== null) return
    // node:http refuses a request whose rest does not arrive.
    if (connection.isIdle()) return void this.end()
    handOver(this, connection.takePending())
    this.emit('end')
  }

  function onClose(this: Socket): void {
    sockets.delete(this)
    plainConnectionOf(this).current?.giveUp()
  }

  function onTimeout(this: Socket): void {
    const connection = plainConnectionOf(this)
    if (connection.current !== null) return
    if (!connection.isIdle()) return handOver(this, connection.takePending())
    if (!connection.hasReceived)
      return afterPendingReads(() => connection.hasReceived || refuseConnection(this, requestTimeout()))
    // The client may still have been reading a response when the timeout began.
    const timeout = idleTimeoutOf(this)
    if (this.writableLength === 0 && this.timeout !== timeout) this.setTimeout(timeout)
    else this.destroy()
  }

  /** A connection that fails emits 'close' as well. */
  function onError(): void {}

  return (socket) => {
    connectionOf(socket).plain = new PlainConnection(socket)
    socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError).on('timeout', onTimeout)
    socket.setTimeout(server.headersTimeout)
  }
}

function write(socket: Socket, bytes: string | readonly Buffer[]): void {
  if (typeof bytes === 'string') return void socket.write(bytes)
  socket.cork()
  for (const piece of bytes) socket.write(piece)
  socket.uncork()
}

type Finish = (connection: PlainConnection, response: string | readonly Buffer[], closes: boolean) => void

/** A request that is answered without node:http. */
class PlainReception extends Reception {
  readonly #connection: PlainConnection
  readonly #finish: Finish
  #deferred: DeferredResponse | null = null

  constructor(context: ServerContext, request: PlainRequest, connection: PlainConnection, finish: Finish) {
    const { method, target, headers, body } = request
    super(context, method, target, { headers, socket: connection.socket })
    this.rawBody = body
    this.#connection = connection
    this.#finish = finish
  }

  isGone(): boolean {
    return this.#connection.current !== this
  }

  /** Reports that the client has disconnected. */
  giveUp(): void {
    this.#connection.current = null
    this.#deferred?.giveUp()
  }

  protected watch(deferred: DeferredResponse): void {
    this.#deferred = deferred
  }

  protected send(response: HttpResponse): void {
    if (!isBuffered(response)) return this.fail(new Error('A response that must be in memory is not'))
    const { isHalfClosed, pending } = this.#connection
    const { isClosing, common, keepAlive } = this.context
    const closes = isClosing() || (isHalfClosed && pending.length === 0)
    let bytes: ReturnType<typeof rawResponse>
    try {
      bytes = rawResponse(response, { closes, keepAlive, common })
    } catch (error) {
      return this.fail(error)
    }
    if (!this.isGone()) this.#finish(this.#connection, bytes, closes)
    reportRequest(this.context, this.logged, response.status)
  }
}
