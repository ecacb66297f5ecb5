import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterPendingReads } from './after-pending-reads.ts'
import { type ConnectionAcceptor, connectionOf, refuseConnection } from './connection.ts'
import type { OpenConnections } from './open-connections.ts'
import { parkedRequest, patienceWith } from './park.ts'
import { readKnown } from './read-known.ts'
import type { Receiver } from './receive.ts'
import { receiveKnown } from './receive-known.ts'
import { requestTimeout, tooManyConnections } from './wire-refusals.ts'

/** So many bytes that come behind a waiting request are kept; what is beyond stays with the client for now. */
const MAX_BEHIND = 16 * 1024

/** How long a body may take to follow its head until node:http, which has more patience, gets both; milliseconds. */
const FOLLOWS_WITHIN = 1000

/**
 * Keeps `sockets` those that are open. What arrives on a connection is read here as long as it is what has been read
 * before; anything else is node:http's, which is given the connection with the bytes that it did not see.
 */
export function openDoor(server: Server, sockets: OpenConnections, receiver: Receiver): void {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  const door: ConnectionAcceptor = { server, sockets, common: receiver.common, listen, hear }
  server.on('connection', (socket: Socket) => {
    receiver.admission.noteConnection()
    connectionOf(socket).door = door
    const place = receiver.placeOf(socket.remoteAddress ?? '')
    if (place !== null && sockets.countFrom(place) >= receiver.maxConnections) {
      receiver.noteTooMany()
      socket.on('error', onError).resume()
      return refuseConnection(socket, tooManyConnections({ limit: receiver.maxConnections }))
    }
    if (place === null) sockets.add(socket)
    else sockets.addFrom(place, socket)
    listen(socket)
    socket.setTimeout(server.headersTimeout)
  })

  function listen(socket: Socket): void {
    socket.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError).on('timeout', onTimeout)
  }

  /** Hands the connection to node:http, as if it had begun with these bytes. */
  function handOver(socket: Socket, bytes: Buffer): void {
    socket.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError).off('timeout', onTimeout)
    for (const read of readers) read.call(server, socket)
    socket.once('close', onClose)
    socket.emit('data', bytes)
  }

  /** A body that does not come as one is node:http's, which knows how slow it may be. */
  function hear(socket: Socket, bytes: Buffer, isContinued = false): void {
    const connection = connectionOf(socket)
    connection.hasSpoken = true
    // Whoever does not take what was answered is node:http's to slow down.
    const request = socket.writableLength > 0 ? null : readKnown(receiver, bytes)
    if (request === 'incomplete' && !isContinued) {
      connection.begun = bytes
      return void socket.setTimeout(FOLLOWS_WITHIN)
    }
    if (request === null || request === 'incomplete') {
      connection.unknown += 1
      return handOver(socket, bytes)
    }
    connection.unknown = 0
    connection.parked = parkedRequest(door, socket)
    receiveKnown(receiver, connection.parked, request)
  }

  /** What had begun when nothing came behind it is node:http's to refuse. */
  function giveUpOn(socket: Socket): boolean {
    const connection = connectionOf(socket)
    const { begun } = connection
    if (begun === null) return false
    connection.begun = null
    handOver(socket, begun)
    return true
  }

  function onData(this: Socket, bytes: Buffer): void {
    const connection = connectionOf(this)
    const { parked, begun } = connection
    if (parked === null) {
      connection.begun = null
      return begun === null ? hear(this, bytes) : hear(this, Buffer.concat([begun, bytes]), true)
    }
    parked.behind = Buffer.concat([parked.behind, bytes])
    if (parked.behind.length > MAX_BEHIND) this.pause()
  }

  function onEnd(this: Socket): void {
    const { parked } = connectionOf(this)
    if (parked !== null) parked.isHalfClosed = true
    else if (giveUpOn(this)) this.emit('end')
    else this.end()
  }

  function onClose(this: Socket): void {
    const connection = connectionOf(this)
    const { parked } = connection
    connection.parked = null
    sockets.delete(this)
    parked?.answer?.giveUp()
  }

  function onTimeout(this: Socket): void {
    const { parked, hasSpoken } = connectionOf(this)
    if (parked !== null || giveUpOn(this)) return
    if (!hasSpoken)
      return afterPendingReads(() => connectionOf(this).hasSpoken || refuseConnection(this, requestTimeout()))
    const patience = patienceWith(door, this)
    // An answer that was being taken has gone out meanwhile.
    if (this.writableLength === 0 && this.timeout !== patience) this.setTimeout(patience)
    else this.destroy()
  }
}

/** A connection that fails closes, too. */
function onError(): void {}
