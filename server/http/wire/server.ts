import type { RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import type { Log } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import { randomLetters } from '../../base/secrets.ts'
import { isQuiet } from './connection.ts'
import { openDoor } from './door.ts'
import type { Answer, Exchange, LateAnswer } from './exchange.ts'
import { openKnownHeads } from './known-heads.ts'
import { METHODS } from './node-http.ts'
import { type Receiver, receive } from './receive.ts'
import { createWireServer, type Timeouts } from './wire.ts'

export type HttpServerOptions = {
  /** Answers any path and any method; what it throws is answered 500. */
  dispatch: (exchange: Exchange) => Promise<Answer | LateAnswer> | Answer
  log: Log
  random: Random
  /** The most bytes that the body of such a request may have; 1 MiB when omitted. */
  bodyLimit?: (method: string, path: string) => number
  /** Whether such a request's endpoint reads its files itself; none does when omitted. */
  readsFiles?: (method: string, path: string) => boolean
  /** Whether all answers to requests for such a path are whole in memory; none are when omitted. */
  answersWhole?: (path: string) => boolean
  /** Whether X-Real-IP, set by a front proxy, replaces the address of the peer. */
  trustRealIp?: boolean
  /** Called when the server begins to close: what holds requests back must let them go, and hold no more. */
  onClose?: () => void | Promise<void>
  timeouts?: Partial<Timeouts>
}

export type HttpServer = {
  /** `localhost` means both loopback addresses, where there are two. Rejects when the port is taken. */
  listen(address: { host: string; port: number }): Promise<{ port: number; url: string }>
  /** One request without a socket, for tests. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>
  /** Accepts no more, answers what is in flight, and resolves when every connection is closed, after 8 s at most. */
  close(): Promise<void>
}

const MEBIBYTE = 1024 * 1024

/** How long requests in flight may take when the server closes, in milliseconds. */
const CLOSING_TIME = 8000

/** An HTTP/1.1 server that hands each well-formed request of acceptable size to `dispatch`, and answers all others. */
export function openHttpServer(options: HttpServerOptions): HttpServer {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  let closing = false
  let closed: Promise<void> | undefined
  let listener: RequestListener = () => {}
  const receiver: Receiver = {
    dispatch: options.dispatch,
    heads: openKnownHeads(),
    answersWhole: options.answersWhole ?? (() => false),
    bodyLimit: options.bodyLimit ?? (() => MEBIBYTE),
    readsFiles: options.readsFiles ?? (() => false),
    log: options.log,
    nextId: requestIds(options.random),
    trustRealIp: options.trustRealIp ?? false,
    isClosing: () => closing,
  }

  const openServer = () => {
    const server = createWireServer(options.timeouts ?? {}, listener)
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
    const stopCutting = cutWhenQuiet(sockets)
    const ended = Promise.all([app.close(), ...servers.slice(1).map(closeServer)]).then(stopCutting)
    await Promise.all([released, ended])
  }
  const app = buildApp(receiver, (onRequest) => {
    listener = onRequest
    return openServer()
  })

  return {
    async listen({ host, port }) {
      await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
      const taken = (app.server.address() as AddressInfo).port
      if (host === 'localhost') await listenToo(openServer(), { host: '::1', port: taken })
      return { port: taken, url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}` }
    },
    inject: (request) => app.inject(request),
    close() {
      closed ??= closeAll()
      return closed
    },
  }
}

/** Fastify, left to do what it does without looking at a request: all that is in it is read by `receive`. */
function buildApp(receiver: Receiver, openServer: (onRequest: RequestListener) => Server): FastifyInstance {
  const app = fastify({
    serverFactory: openServer as never,
    // Its router refuses paths that it cannot decode, so it is shown but one.
    rewriteUrl: () => '/',
    exposeHeadRoutes: false,
    return503OnClosing: false,
    clientErrorHandler: () => {},
    // No route has a schema; the compilers of schemas that Fastify would load take a twentieth of the start.
    schemaController: { compilersFactory: { buildValidator: neverBuilt, buildSerializer: neverBuilt } },
  })
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.route({
    method: methods as never,
    url: '/',
    handler: (request, reply) => {
      reply.hijack()
      receive(receiver, request.originalUrl, request.raw, reply.raw)
    },
  })
  return app
}

const neverBuilt = (): never => {
  throw new Error('No route has a schema')
}

/** Ids that differ within a run by a counter, and between runs by chance. */
function requestIds(random: Random): () => string {
  const run = randomLetters(random, 8)
  let count = 0
  return () => `${run}-${(++count).toString(36)}`
}

/** Listens; an address that the machine does not have is passed over. */
function listenToo(server: Server, address: { host: string; port: number }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.once('error', () => resolve())
  server.listen(address, () => resolve())
  return promise
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  return promise
}

/** Closes each connection once its requests are answered, and all when the time is up. Returns what stops it. */
function cutWhenQuiet(sockets: ReadonlySet<Socket>): () => void {
  const cut = (isDue: (socket: Socket) => boolean) => {
    for (const socket of sockets) if (isDue(socket)) socket.destroy()
  }
  const watch = setInterval(() => cut(isQuiet), 20)
  const end = setTimeout(() => cut(() => true), CLOSING_TIME)
  return () => {
    clearInterval(watch)
    clearTimeout(end)
  }
}
