import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { DeferredResponse } from '../wire/http-types.ts'
import type { OpenConnections } from '../wire/open-connections.ts'

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
