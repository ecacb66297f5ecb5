import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { requestTimeout } from '../refusals.ts'
import { afterPendingReads, type OpenConnections, refuseConnection } from '../wire/connection.ts'
import type { FastPath, ServerContext } from '../wire/server-context.ts'
import {
  type ConnectionReader,
  createDetachedRequest,
  createFastConnection,
  detachKnownRequest,
  detachRequest,
  fastConnectionOf,
  findFastConnection,
  idleTimeoutOf,
} from './detached-request.ts'
import { openHeaderCache, type ParsingOptions, parseCachedRequest } from './parse-cached-request.ts'
import { receiveCached } from './receive-cached.ts'
import { sendDeferred, sendDetached } from './send-detached.ts'

/**
 * The maximum number of bytes to keep that arrive while a request waits. The rest stays with the client until the
 * request is answered.
 */
const MAX_FOLLOWING = 16 * 1024

/**
 * The time after which a body without progress goes to node:http with its headers, in milliseconds. node:http waits
 * longer.
 */
const BODY_FOLLOWS_WITHIN = 1000

type ReaderOptions = {
  readonly context: Omit<ServerContext, 'fastPath'>
  readonly parsing: ParsingOptions
  readonly server: Server
  readonly sockets: OpenConnections
  readonly handOver: (socket: Socket) => void
}

/**
 * Returns a function that reads a new connection for as long as the headers of its requests are in the cache. At any
 * other request, the function hands the connection to node:http, with all bytes that node:http has not seen.
 */
function openConnectionReader(options: ReaderOptions): (socket: Socket) => void {
  const { context, parsing, server, sockets } = options
  const reader: ConnectionReader = { server, sockets, listen, readBytes }

  function listen(socket: Socket): void {
    socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError).on('timeout', onTimeout)
  }

  /** Hands the connection to node:http as if it had begun with these bytes. */
  function handOver(socket: Socket, bytes: Buffer): void {
    socket.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError).off('timeout', onTimeout)
    options.handOver(socket)
    socket.emit('data', bytes)
  }

  /**
   * Reads the bytes. If a request arrives in more than two pieces, hands the connection to node:http, which limits slow
   * bodies.
   */
  function readBytes(socket: Socket, bytes: Buffer, isContinued = false): void {
    const connection = fastConnectionOf(socket)
    connection.hasReceived = true
    // node:http slows down a client that does not read its responses.
    const request = socket.writableLength > 0 ? null : parseCachedRequest(parsing, bytes)
    if (request === 'incomplete' && !isContinued) {
      connection.partial = bytes
      return void socket.setTimeout(BODY_FOLLOWS_WITHIN)
    }
    if (request === null || request === 'incomplete') {
      connection.unknownInARow += 1
      return handOver(socket, bytes)
    }
    connection.unknownInARow = 0
    connection.detached = createDetachedRequest(reader, socket)
    receiveCached(context, connection.detached, request)
  }

  /**
   * Hands over a request whose rest does not arrive, so that node:http refuses it. Returns false if there is no such
   * request.
   */
  function giveUpOnPartial(socket: Socket): boolean {
    const partial = takePartial(socket)
    if (partial !== null) handOver(socket, partial)
    return partial !== null
  }

  function onData(this: Socket, bytes: Buffer): void {
    const connection = fastConnectionOf(this)
    const { detached, partial } = connection
    if (detached === null) {
      connection.partial = null
      return partial === null ? readBytes(this, bytes) : readBytes(this, Buffer.concat([partial, bytes]), true)
    }
    detached.following = Buffer.concat([detached.following, bytes])
    if (detached.following.length > MAX_FOLLOWING) this.pause()
  }

  function onEnd(this: Socket): void {
    const { detached } = fastConnectionOf(this)
    if (detached !== null) detached.isHalfClosed = true
    else if (giveUpOnPartial(this)) this.emit('end')
    else this.end()
  }

  function onClose(this: Socket): void {
    sockets.delete(this)
    giveUpRequest(this)
  }

  function onTimeout(this: Socket): void {
    const { detached, hasReceived } = fastConnectionOf(this)
    if (detached !== null || giveUpOnPartial(this)) return
    if (!hasReceived)
      return afterPendingReads(() => fastConnectionOf(this).hasReceived || refuseConnection(this, requestTimeout()))
    closeIdle(reader, this)
  }

  return (socket) => {
    createFastConnection(reader, socket)
    listen(socket)
    socket.setTimeout(server.headersTimeout)
  }
}

/** Takes the bytes of a request whose rest has not arrived; null if there are none. */
function takePartial(socket: Socket): Buffer | null {
  const connection = fastConnectionOf(socket)
  const { partial } = connection
  connection.partial = null
  return partial
}

/** Gives up the request that the connection waits for, if any. */
function giveUpRequest(socket: Socket): void {
  const connection = fastConnectionOf(socket)
  const { detached } = connection
  connection.detached = null
  detached?.deferred?.giveUp()
}

/**
 * Closes an idle connection, or restarts its timeout if the client was still reading a response when the timeout began.
 */
function closeIdle(reader: ConnectionReader, socket: Socket): void {
  const timeout = idleTimeoutOf(reader, socket)
  if (socket.writableLength === 0 && socket.timeout !== timeout) socket.setTimeout(timeout)
  else socket.destroy()
}

/** A connection that fails emits 'close' as well. */
function onError(): void {}

/**
 * Opens the shortcuts past node:http: requests whose headers were seen before are read without its parser, and waiting
 * polls keep none of its objects. docs/decisions/0020 says what this saves and how to turn it off.
 */
export function openFastPath(
  context: Omit<ServerContext, 'fastPath'>,
  answersInMemory: (path: string) => boolean,
): FastPath {
  const cache = openHeaderCache()
  return {
    openReader: (server, sockets, handOver) =>
      openConnectionReader({ context, parsing: { ...context, cache, answersInMemory }, server, sockets, handOver }),

    learnHeaders: (request: IncomingMessage, path: string) => answersInMemory(path) && cache.learn(request),

    send(response, logged, ready) {
      const detached = detachKnownRequest(response)
      if (detached === null) return false
      sendDetached(context, detached, logged, ready)
      return true
    },

    sendDeferred(response, logged, deferred) {
      const detached = detachRequest(response)
      if (detached === null) return false
      sendDeferred(context, detached, logged, deferred)
      return true
    },

    isIdle(socket: Socket) {
      const { detached = null, partial = null } = findFastConnection(socket) ?? {}
      return detached === null && partial === null
    },
  }
}
