import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '#lib/log.ts'
import type { Meter, Tracer } from '#lib/meter.ts'
import { type Random, randomLetters } from '#lib/secrets.ts'
import type { DeferredResponse, HttpRequest, HttpResponse, ResponseHeaders } from '../http-types.ts'
import { wireRefusalResponse } from '../refusals.ts'
import { type Admission, type AdmissionLimits, openAdmission, type Priority } from './admission.ts'
import type { AddressOf } from './client-address.ts'
import { afterPendingReads, commonHeaders, isIdle, OpenConnections } from './connection.ts'
import {
  acceptConnections,
  closeListeners,
  createNodeServer,
  defaultTimeouts,
  type ServedCertificates,
  type Timeouts,
} from './node-server.ts'
import { receive } from './receive.ts'
import { type BodyGate, LateRefusals, type ServerContext } from './server-context.ts'

export type HttpServerOptions = {
  /** Handles requests for any path with any method. An exception becomes a response with status 500. */
  dispatch: (request: HttpRequest) => Promise<HttpResponse | DeferredResponse> | HttpResponse
  log: Log
  /** Receives reports about requests and refusals. If omitted, nothing is measured. */
  meter?: Meter | undefined
  /** Begins the spans of requests. If omitted, requests are not traced. */
  tracer?: Tracer | undefined
  random: Random
  /** Returns the maximum size of the body of such a request, in bytes. If omitted, it is 1 MiB. */
  bodyLimit?: (method: string, path: string) => number
  /** Returns whether the endpoint of such a request reads its files while they arrive. If omitted, no endpoint does. */
  readsFiles?: (method: string, path: string) => boolean
  /**
   * Returns whether all responses to requests for this path are held in memory. If omitted, this is false for all
   * paths.
   */
  answersInMemory?: (path: string) => boolean
  /** Returns the address of the client. If omitted, it is that of the connection. */
  addressOf?: AddressOf
  /** Returns the headers of every response for this path, including refusals of unread requests; none if omitted. */
  headersForPath?: (path: string) => ResponseHeaders
  /** Headers of every response that does not set them itself; none if omitted. */
  commonHeaders?: Readonly<Record<string, string>>
  /**
   * Called when the server starts to close. It must end the wait of waiting requests, and keep further requests from
   * waiting.
   */
  onClose?: () => void | Promise<void>
  timeouts?: Partial<Timeouts>
  /** Returns the priority of a request when the server is busy. If omitted, all requests have the same priority. */
  priorityOf?: (method: string, path: string) => Priority
  limits?: Partial<AdmissionLimits>
  /** Decides which bodies are read. If omitted, all are. */
  bodyGate?: BodyGate
  /** Returns whether the requests of others come before those of this sender. If omitted, no sender is busy. */
  isBusySender?: (head: HttpRequest) => boolean
  /**
   * Returns the network of an address, by which connections are limited; null for no limit. If omitted, no connections
   * are limited.
   */
  networkOf?: (address: string) => string | null
  /** The maximum number of connections from one network. */
  maxConnections?: number
  /** True if plain requests are read without node:http (fast-path.ts); true if omitted. */
  fastPath?: boolean
  /** The certificates of a server that speaks https. If omitted, it speaks http. */
  certificates?: ServedCertificates | undefined
}

type HttpLoad = { readonly connections: number } & ReturnType<Admission['load']>

export type HttpServer = {
  /**
   * `localhost` means both loopback addresses if there are two, and `*` all addresses of IPv4 and IPv6. Rejects if the
   * port is taken.
   */
  listen(address: { host: string; port: number }): Promise<{ port: number; url: string }>
  /** Handles a request without a real connection, as in tests. */
  answer(request: IncomingMessage, response: ServerResponse): void
  /** Returns the numbers of open connections, and of requests in progress and waiting by their priority. */
  load(): HttpLoad
  /**
   * Accepts the connections that the system holds, and no others. Answers the requests in flight, and one more request
   * on each idle connection. Resolves when all connections are closed, after 8 seconds at most.
   */
  close(): Promise<void>
}

const MEBIBYTE = 1024 * 1024

/** Hosts that mean an address of IPv4 and one of IPv6. */
const BOTH_VERSIONS: Readonly<Record<string, readonly [string, string]>> = {
  localhost: ['127.0.0.1', '::1'],
  '*': ['0.0.0.0', '::'],
}

/** Returns the addresses at which a server listens, of which the machine may not have the second. */
export const listenAddresses = (host: string): readonly [string, string?] => BOTH_VERSIONS[host] ?? [host]

/** The time that requests in flight have when the server closes, in milliseconds. */
const CLOSING_TIME = 8000

/**
 * The maximum number of connections that wait to be accepted. The system may allow fewer (`net.core.somaxconn` on
 * Linux).
 */
const BACKLOG = 4096

/**
 * Opens an HTTP/1.1 server that passes each well-formed request of acceptable size to `dispatch`, and refuses all
 * others.
 */
export function openHttpServer(options: HttpServerOptions): HttpServer {
  const servers: Server[] = []
  const sockets = new OpenConnections()
  const endHandshakes: (() => void)[] = []
  let closing = false
  let closed: Promise<void> | undefined
  const context = createContext(options, () => closing)

  const answer = (request: IncomingMessage, response: ServerResponse) => receive(context, request, response)
  const openServer = () => {
    const server = createNodeServer(options.timeouts ?? {}, answer, options.certificates)
    endHandshakes.push(acceptConnections(server, sockets, context))
    // Accepting fails when the process has no file descriptors left, and may succeed again later.
    server.on('error', (error) => {
      if (server.listening) options.log.error({ err: error }, 'Could not accept a connection')
    })
    servers.push(server)
    return server
  }
  const closeAll = async () => {
    closing = true
    const released = (async () => options.onClose?.())()
    const lastRequest = options.timeouts?.lastRequest ?? defaultTimeouts.lastRequest
    const stopCutting = cutIdle(sockets, lastRequest)
    const timer = setTimeout(() => {
      for (const end of endHandshakes) end()
    }, lastRequest * 1000)
    const ended = closeListeners(servers).then(() => {
      stopCutting()
      clearTimeout(timer)
    })
    await Promise.all([released, ended])
  }
  return {
    async listen({ host, port }) {
      const first = openServer()
      const [one, other] = listenAddresses(host)
      await listenOn(first, { host: one, port })
      const taken = (first.address() as AddressInfo).port
      // The machine may not have the second address.
      if (other !== undefined)
        await listenOn(openServer(), { host: other, port: taken, ipv6Only: true }).catch(() => {})
      const protocol = options.certificates === undefined ? 'http' : 'https'
      return { port: taken, url: `${protocol}://${host.includes(':') ? `[${host}]` : host}:${taken}` }
    },
    answer,
    load: () => ({ connections: sockets.size, ...context.admission.load() }),
    close() {
      closed ??= closeAll()
      return closed
    },
  }
}

function createContext(options: HttpServerOptions, isClosing: () => boolean): ServerContext {
  return {
    dispatch: options.dispatch,
    bodyLimit: options.bodyLimit ?? (() => MEBIBYTE),
    readsFiles: options.readsFiles ?? (() => false),
    log: options.log,
    meter: options.meter,
    tracer: options.tracer,
    nextId: requestIds(options.random),
    addressOf: options.addressOf ?? ((_headers, peer) => peer),
    common: commonHeaders(options.commonHeaders ?? {}),
    headersForPath: options.headersForPath ?? (() => ({})),
    isClosing,
    lateRefusals: new LateRefusals(),
    admission: openAdmission(options.limits),
    priorityOf: options.priorityOf ?? (() => 'normal'),
    noteBusyRefusal: countRefusals(options, 'BUSY', 'The server is busy and refuses requests'),
    noteConnectionRefusal: countRefusals(
      options,
      'TOO_MANY_CONNECTIONS',
      'Refused connections: too many from one address',
    ),
    networkOf: options.networkOf ?? (() => null),
    maxConnections: options.maxConnections ?? 0,
    bodySeconds: options.timeouts?.body ?? defaultTimeouts.body,
    bodyGate: options.bodyGate ?? OPEN_GATE,
    isBusySender: options.isBusySender ?? (() => false),
    fastPath: options.fastPath ?? true,
    answersInMemory: options.answersInMemory ?? (() => false),
    keepAlive: (options.timeouts?.keepAlive ?? defaultTimeouts.keepAlive) * 1000,
  }
}

const OPEN_GATE: BodyGate = {
  admit: async () => ({ receive: () => null, release: () => {} }),
  refuse: async (_head, refusal) => wireRefusalResponse(refusal),
}

/** Returns a function that generates ids. Each consists of a random prefix for this run of the server and a counter. */
function requestIds(random: Random): () => string {
  const run = randomLetters(random, 8)
  let count = 0
  return () => `${run}-${(++count).toString(36)}`
}

/** The minimum time between two log lines about refusals, in milliseconds. */
const LOG_INTERVAL = 10_000

/** Returns a function that counts refusals and logs their number at most once in each LOG_INTERVAL. */
function countRefusals({ log, meter }: Pick<HttpServerOptions, 'log' | 'meter'>, reason: string, message: string) {
  let [count, loggedAt] = [0, Number.NEGATIVE_INFINITY]
  return () => {
    meter?.requestRefused(reason)
    count += 1
    const now = performance.now()
    if (now - loggedAt < LOG_INTERVAL) return
    log.warn({ count }, message)
    count = 0
    loggedAt = now
  }
}

function listenOn(server: Server, address: { host: string; port: number; ipv6Only?: boolean }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ ...address, backlog: BACKLOG }, () => {
    server.off('error', reject)
    resolve()
  })
  return promise
}

/**
 * Closes each connection that was idle for `lastRequest` seconds: until then, a client that does not know that the
 * server is closing gets a response to its next request. Closes all connections after CLOSING_TIME. Returns a function
 * that stops this.
 */
function cutIdle(sockets: ReadonlySet<Socket>, lastRequest: number): () => void {
  const idleSince = new Map<Socket, number>()
  const cut = () => {
    const now = performance.now()
    for (const socket of idleSince.keys()) if (!sockets.has(socket)) idleSince.delete(socket)
    for (const socket of sockets) {
      const since = idleSince.get(socket) ?? now
      if (!isIdle(socket)) idleSince.delete(socket)
      else if (now - since >= lastRequest * 1000) afterPendingReads(() => isIdle(socket) && socket.destroy())
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
