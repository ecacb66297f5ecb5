import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '../../platform/runtime/log.ts'
import type { Random } from '../../platform/security/random.ts'
import { randomLetters } from '../../platform/security/secrets.ts'
import { type AdmissionLimits, openAdmission, type Priority } from './admission.ts'
import { closeListeners } from './close-listeners.ts'
import { commonHeaders } from './common-headers.ts'
import { isIdle } from './connection.ts'
import { openDoor } from './door.ts'
import type { DeferredResponse, HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'
import { openKnownHeads } from './known-heads.ts'
import { createNodeServer, defaultTimeouts, type Timeouts } from './node-server.ts'
import { OpenConnections } from './open-connections.ts'
import { type Receiver, receive } from './receive.ts'

export type HttpServerOptions = {
  /** Answers any path and any method; what it throws is answered 500. */
  dispatch: (exchange: HttpRequest) => Promise<HttpResponse | DeferredResponse> | HttpResponse
  log: Log
  random: Random
  /** The most bytes that the body of such a request may have; 1 MiB when omitted. */
  bodyLimit?: (method: string, path: string) => number
  /** Whether such a request's endpoint reads its files itself; none does when omitted. */
  readsFiles?: (method: string, path: string) => boolean
  /** Whether all answers to requests for such a path are whole in memory; none are when omitted. */
  answersInMemory?: (path: string) => boolean
  /** Whether X-Real-IP, set by a front proxy, replaces the address of the peer. */
  trustRealIp?: boolean
  /** What every answer to a request for such a path says, even one that refuses it unread; nothing when omitted. */
  headersForPath?: (path: string) => ResponseHeaders
  /** What every answer says that does not say something else itself; nothing when omitted. */
  commonHeaders?: Readonly<Record<string, string>>
  /** Called when the server begins to close: what holds requests back must let them go, and hold no more. */
  onClose?: () => void | Promise<void>
  timeouts?: Partial<Timeouts>
  /** Which requests come first when the server is busy; all are alike when omitted. */
  priorityOf?: (method: string, path: string) => Priority
  limits?: Partial<AdmissionLimits>
  /** Refuses a request before a body of more than 64 KiB is read; null where it may be read. */
  checkSender?: (head: HttpRequest) => Promise<HttpResponse | null>
  /** Where connections from an address come from; null, as when omitted, for places whose connections are not limited. */
  networkOf?: (address: string) => string | null
  /** How many connections there may be from a place. */
  maxConnections?: number
}

export type HttpServer = {
  /** `localhost` means both loopback addresses, where there are two. Rejects when the port is taken. */
  listen(address: { host: string; port: number }): Promise<{ port: number; url: string }>
  /** Answers a request however it came: tests have some that came over no connection. */
  answer(request: IncomingMessage, response: ServerResponse): void
  /**
   * Accepts the connections that wait to be accepted and then no more, answers what is in flight and one more request on
   * each idle connection, and resolves when every connection is closed, after 8 s at most.
   */
  close(): Promise<void>
}

const MEBIBYTE = 1024 * 1024

/** How long requests in flight may take when the server closes, in milliseconds. */
const CLOSING_TIME = 8000

/** How many connections may wait to be accepted; the system may allow fewer (`net.core.somaxconn` on Linux). */
const BACKLOG = 4096

/** An HTTP/1.1 server that hands each well-formed request of acceptable size to `dispatch`, and answers all others. */
export function openHttpServer(options: HttpServerOptions): HttpServer {
  const servers: Server[] = []
  const sockets = new OpenConnections()
  let closing = false
  let closed: Promise<void> | undefined
  const receiver: Receiver = {
    dispatch: options.dispatch,
    heads: openKnownHeads(),
    answersWhole: options.answersInMemory ?? (() => false),
    bodyLimit: options.bodyLimit ?? (() => MEBIBYTE),
    readsFiles: options.readsFiles ?? (() => false),
    log: options.log,
    nextId: requestIds(options.random),
    trustRealIp: options.trustRealIp ?? false,
    common: commonHeaders(options.commonHeaders ?? {}),
    headersUnder: options.headersForPath ?? (() => ({})),
    isClosing: () => closing,
    admission: openAdmission(options.limits),
    priorityOf: options.priorityOf ?? (() => 'normal'),
    noteRefused: refusalNotes(options.log, 'The server is busy: requests are refused'),
    noteTooMany: refusalNotes(options.log, 'Connections are refused: there are as many from one address as may be'),
    placeOf: options.networkOf ?? (() => null),
    maxConnections: options.maxConnections ?? 0,
    bodySeconds: options.timeouts?.body ?? defaultTimeouts.body,
    checkSender: options.checkSender ?? (async () => null),
  }

  const answer = (request: IncomingMessage, response: ServerResponse) => receive(receiver, request, response)
  const openServer = () => {
    const server = createNodeServer(options.timeouts ?? {}, answer)
    openDoor(server, sockets, receiver)
    // Accepting fails when the process is out of file descriptors, and may succeed again later.
    server.on('error', (error) => {
      if (server.listening) options.log.error({ err: error }, 'a connection could not be accepted')
    })
    servers.push(server)
    return server
  }
  const closeAll = async () => {
    closing = true
    const released = (async () => options.onClose?.())()
    const stopCutting = cutIdle(sockets, options.timeouts?.lastRequest ?? defaultTimeouts.lastRequest)
    const ended = closeListeners(servers).then(stopCutting)
    await Promise.all([released, ended])
  }
  return {
    async listen({ host, port }) {
      const first = openServer()
      await listenOn(first, { host: host === 'localhost' ? '127.0.0.1' : host, port })
      const taken = (first.address() as AddressInfo).port
      // An address that the machine does not have is passed over.
      if (host === 'localhost') await listenOn(openServer(), { host: '::1', port: taken }).catch(() => {})
      return { port: taken, url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}` }
    },
    answer,
    close() {
      closed ??= closeAll()
      return closed
    },
  }
}

/** Ids that differ within a run by a counter, and between runs by chance. */
function requestIds(random: Random): () => string {
  const run = randomLetters(random, 8)
  let count = 0
  return () => `${run}-${(++count).toString(36)}`
}

/** Milliseconds between two lines of the log that say that requests are refused. */
const NOTE_EVERY = 10_000

/** Says in the log that the server refuses something, and how often since it said so last. */
function refusalNotes(log: Log, message: string): () => void {
  let [count, notedAt] = [0, Number.NEGATIVE_INFINITY]
  return () => {
    count += 1
    const now = performance.now()
    if (now - notedAt < NOTE_EVERY) return
    log.warn({ count }, message)
    count = 0
    notedAt = now
  }
}

function listenOn(server: Server, address: { host: string; port: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ ...address, backlog: BACKLOG }, () => {
    server.off('error', reject)
    resolve()
  })
  return promise
}

/**
 * Closes each connection that was idle for `lastRequest` seconds: until then a client that does not know yet that the
 * server closes gets its next request answered. Closes all when the time is up. Returns what stops it.
 */
function cutIdle(sockets: ReadonlySet<Socket>, lastRequest: number): () => void {
  const idleSince = new Map<Socket, number>()
  const cut = () => {
    const now = performance.now()
    for (const socket of idleSince.keys()) if (!sockets.has(socket)) idleSince.delete(socket)
    for (const socket of sockets) {
      const since = idleSince.get(socket) ?? now
      if (!isIdle(socket)) idleSince.delete(socket)
      else if (now - since >= lastRequest * 1000) socket.destroy()
      else idleSince.set(socket, since)
    }
  }
  cut()
  const watch = setInterval(cut, 20)
  const end = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, CLOSING_TIME)
  return () => {
    clearInterval(watch)
    clearTimeout(end)
  }
}
