import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { connectionOf, type Door, type ParkedRequest, refuseConnection } from './connection.ts'
import { detach } from './detach.ts'
import type { LateAnswer } from './exchange.ts'
import { requestTimeout } from './wire-refusals.ts'

/** So many bytes that come behind a waiting request are kept; what is beyond stays with the client for now. */
const MOST_BEHIND = 16 * 1024

const NOTHING = Buffer.alloc(0)

/** Keeps `sockets` those that are open. Gives node:http a new connection when bytes arrive, as what parses them takes memory. */
export function openDoor(server: Server, sockets: Set<Socket>): void {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  const door = {
    sockets,
    server,
    open(socket: Socket) {
      for (const read of readers) read.call(server, socket)
      socket.once('close', onClose)
    },
  }
  server.on('connection', (socket: Socket) => {
    connectionOf(socket).door = door
    sockets.add(socket)
    listen(socket)
    socket.setTimeout(server.headersTimeout)
  })
}

/**
 * Parks the connection of a request that waits for its answer: node:http knows nothing of it until the next request
 * comes, so that waiting takes little memory. Null, and nothing is changed, where it must wait as others do: when it is
 * no plain GET on a connection that goes on, when other answers are due before it, or when more has arrived behind it.
 */
export function park(response: ServerResponse, answer: LateAnswer): ParkedRequest | null {
  const { req: request } = response
  const { socket } = request
  const connection = connectionOf(socket)
  const { door, newest } = connection
  if (door === undefined || newest !== response || !isPlain(request) || !detach(socket, response)) return null

  const { keepAliveTimeout: keepAlive } = door.server
  connection.newest = undefined
  connection.parked = { socket, answer, keepAlive, behind: NOTHING, isHalfClosed: socket.readableEnded }
  // It has not closed, though node:http was told so.
  door.sockets.add(socket)
  listen(socket)
  socket.setTimeout(0)
  return connection.parked
}

function isPlain({ method, httpVersion, headers: { connection = 'keep-alive' } }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && connection.toLowerCase() === 'keep-alive'
}

/** Whether its client will ask nothing after it. */
export const isLast = ({ behind, isHalfClosed }: ParkedRequest): boolean => isHalfClosed && behind.length === 0

/** Sends a parked request's answer, unless its client is gone; then the connection waits for the next one, or closes. */
export function answerParked(request: ParkedRequest, bytes: string | readonly Buffer[], closing: boolean): void {
  const { socket, behind, isHalfClosed } = request
  const connection = connectionOf(socket)
  if (connection.parked !== request) return
  connection.parked = null
  write(socket, bytes)
  if (closing) return void socket.end()
  if (behind.length === 0) return void socket.setTimeout(patienceWith(socket))
  handOver(socket, behind)
  if (isHalfClosed) socket.emit('end')
}

function write(socket: Socket, bytes: string | readonly Buffer[]): void {
  if (typeof bytes === 'string') return void socket.write(bytes)
  socket.cork()
  for (const piece of bytes) socket.write(piece)
  socket.uncork()
}

/** Whatever node:http does not have came in by a door. */
const doorOf = (socket: Socket) => connectionOf(socket).door as Door

/** How long nothing may move on a connection after an answer, in milliseconds: longer than clients are told. */
function patienceWith(socket: Socket): number {
  const { timeout, keepAliveTimeout, keepAliveTimeoutBuffer } = doorOf(socket).server
  return socket.writableLength > 0 ? timeout : keepAliveTimeout + keepAliveTimeoutBuffer
}

function listen(socket: Socket): void {
  socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError).on('timeout', onTimeout)
}

/** Hands the connection to node:http, as if it had begun with these bytes. */
function handOver(socket: Socket, bytes: Buffer): void {
  socket.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError).off('timeout', onTimeout)
  connectionOf(socket).hasSpoken = true
  socket.resume()
  doorOf(socket).open(socket)
  socket.emit('data', bytes)
}

function onData(this: Socket, bytes: Buffer): void {
  const { parked } = connectionOf(this)
  if (parked === null) return handOver(this, bytes)
  parked.behind = Buffer.concat([parked.behind, bytes])
  if (parked.behind.length > MOST_BEHIND) this.pause()
}

function onEnd(this: Socket): void {
  const { parked } = connectionOf(this)
  if (parked === null) this.end()
  else parked.isHalfClosed = true
}

function onClose(this: Socket): void {
  const connection = connectionOf(this)
  const { parked } = connection
  connection.parked = null
  doorOf(this).sockets.delete(this)
  parked?.answer.giveUp()
}

/** A connection that fails closes, too. */
function onError(): void {}

function onTimeout(this: Socket): void {
  if (!connectionOf(this).hasSpoken) return refuseConnection(this, requestTimeout())
  const patience = patienceWith(this)
  // An answer that was being taken has gone out meanwhile.
  if (this.writableLength === 0 && this.timeout !== patience) this.setTimeout(patience)
  else this.destroy()
}
