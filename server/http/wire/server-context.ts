import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '#lib/errors/refusal.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Admission, Priority } from './admission.ts'
import type { CommonHeaders } from './common-headers.ts'
import type { BufferedResponse, DeferredResponse, HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'
import type { LateRefusals } from './late-refusals.ts'
import type { OpenConnections } from './open-connections.ts'
import type { LoggedRequest } from './request-log.ts'

/** The context in which requests are read and answered. */
export type ServerContext = {
  readonly dispatch: (request: HttpRequest) => Promise<HttpResponse | DeferredResponse> | HttpResponse
  readonly log: Log
  readonly nextId: () => string
  readonly trustRealIp: boolean
  readonly common: CommonHeaders
  readonly admission: Admission
  readonly priorityOf: (method: string, path: string) => Priority
  readonly networkOf: (address: string) => string | null
  readonly maxConnections: number
  readonly bodyLimit: (method: string, path: string) => number
  /** The time that a body may take, in seconds. */
  readonly bodySeconds: number
  readonly readsFiles: (method: string, path: string) => boolean
  readonly bodyGate: BodyGate
  /** Returns whether the sender has recently caused so much work that normal requests of others come first. */
  readonly isBusySender: (head: HttpRequest) => boolean
  readonly headersForPath: (path: string) => ResponseHeaders
  readonly isClosing: () => boolean
  readonly lateRefusals: LateRefusals
  /** Counts a request that is refused because the server is busy. */
  readonly noteBusyRefusal: () => void
  /** Counts a connection that is refused because its network has too many. */
  readonly noteConnectionRefusal: () => void
  /** Null when HTTP_FAST_PATH is off: node:http then does everything. */
  readonly fastPath: FastPath | null
}

/** Decides which bodies are read and parsed, before and after they arrive. */
export type BodyGate = {
  /**
   * Admits a body of more than SHORT_BODY and at most `length` bytes once its sender has few enough others in memory.
   * Returns a response if the body must not be read.
   */
  admit(head: HttpRequest, length: number): Promise<BodyPermit | BufferedResponse>
  /** Counts a request whose body could not be parsed, and returns its response. */
  refuse(head: HttpRequest, refusal: Refusal): Promise<BufferedResponse>
}

export type BodyPermit = {
  /** Counts bytes that have arrived. Returns a response if the rest must not be read. */
  receive(bytes: number): BufferedResponse | null
  /** Must be called when the body is no longer in memory; may be called several times. */
  release(): void
}

/** The shortcuts past node:http (server/http/fast-path). The plain path does everything that they cannot. */
export type FastPath = {
  /**
   * Returns the function that reads a new connection. It passes to `handOver` each connection that node:http must read.
   */
  openReader(server: Server, sockets: OpenConnections, handOver: (socket: Socket) => void): (socket: Socket) => void
  /** Remembers the headers of a request that node:http has read. Returns whether they were known before. */
  learnHeaders(request: IncomingMessage, path: string): boolean
  /**
   * Sends the response to a request with known headers, and detaches its connection from node:http. Returns false if it
   * cannot.
   */
  send(response: ServerResponse, logged: LoggedRequest, ready: BufferedResponse): boolean
  /**
   * Detaches the connection of a waiting request from node:http, and sends the response later. Returns false if it
   * cannot.
   */
  sendDeferred(response: ServerResponse, logged: LoggedRequest, deferred: DeferredResponse): boolean
  /** Returns whether the fast path is neither reading nor answering a request on the connection. */
  isIdle(socket: Socket): boolean
}
