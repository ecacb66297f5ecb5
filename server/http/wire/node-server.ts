import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { ServerOptions as HttpsOptions } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Refusal } from '#lib/errors.ts'
import {
  headersTooLarge,
  MAX_TARGET,
  malformedRequest,
  requestTimeout,
  targetTooLong,
  tooManyConnections,
} from '../refusals.ts'
import {
  afterPendingReads,
  connectionOf,
  createSecureServer,
  createServer,
  OpenConnections,
  refuseConnection,
} from './connection.ts'
import { openPlainReader } from './fast-path.ts'
import type { ServerContext } from './server-context.ts'

/** The certificates with which a server answers https. They may change while it runs. */
export type ServedCertificates = {
  /** Returns the certificate and key for a host; null if there is none, so that the handshake is refused. */
  findContext(host: string): SecureContext | null
  /** Calls `serve` with the certificate for clients that name no host, now and after each change. */
  onDefault(serve: (pair: { cert: string; key: string }) => void): void
}

/** The timeouts of connections, in seconds. */
export type Timeouts = {
  /** The time from the connection to the end of the TLS handshake. */
  handshake: number
  /** The time from the first byte of a request, or from the connection, to the end of the headers. */
  headers: number
  /** The time without progress while a body arrives or a client reads a response. */
  stall: number
  /** The time between two requests on a connection. */
  keepAlive: number
  /** The time from the first byte of a request to the last. */
  request: number
  /** The time for a whole body. Bodies that may exceed 1 MiB may take longer if they arrive at MIN_RATE or faster. */
  body: number
  /** The time in which an idle connection may send one more request while the server closes. */
  lastRequest: number
}

export const defaultTimeouts: Timeouts = {
  handshake: 5,
  headers: 10,
  stall: 10,
  keepAlive: 75,
  request: 3600,
  body: 30,
  lastRequest: 1,
}

/**
 * Creates a server of node:http that refuses, in the API's envelope, requests that are malformed, too long, or too
 * slow. With certificates, it is a server of node:https.
 */
export function createNodeServer(
  timeouts: Partial<Timeouts>,
  onRequest: RequestListener,
  certificates?: ServedCertificates,
): Server {
  const { handshake, headers, stall, keepAlive, request } = { ...defaultTimeouts, ...timeouts }
  const options = {
    maxHeaderSize: 2 * MAX_TARGET,
    headersTimeout: headers * 1000,
    requestTimeout: request * 1000,
    connectionsCheckingInterval: Math.ceil(Math.min(1000, headers * 250)),
    keepAliveTimeout: keepAlive * 1000,
    // receive.ts refuses an HTTP/1.1 request without a Host header, in the envelope of the API.
    requireHostHeader: false,
    // A request without a body counts as read at once.
    optimizeEmptyRequests: true,
  }
  const server =
    certificates === undefined
      ? createServer(options, onRequest)
      : createTlsServer({ ...options, handshakeTimeout: handshake * 1000 }, onRequest, certificates)
  server.timeout = stall * 1000
  // A client may close its side after its request, and still read the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('timeout', cutStalled)
  server.on('clientError', refuseMalformed)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    refuseConnection(socket, malformedRequest())
  })
  // The code that reads the body sends 100 Continue. Other expectations are ignored.
  const pass = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response)
  server.on('checkContinue', pass)
  server.on('checkExpectation', pass)
  return server
}

/** Creates a server that speaks TLS 1.2 and 1.3. A handshake for a host without a certificate is refused. */
function createTlsServer(options: HttpsOptions, onRequest: RequestListener, certificates: ServedCertificates): Server {
  const versions = { minVersion: 'TLSv1.2' } as const
  const server = createSecureServer(
    {
      ...options,
      ...versions,
      ALPNProtocols: ['http/1.1'],
      SNICallback(host, done) {
        const context = certificates.findContext(host.toLowerCase())
        done(context === null ? new Error('There is no certificate for the host') : null, context ?? undefined)
      },
    },
    onRequest,
  )
  certificates.onDefault((pair) => server.setSecureContext({ ...versions, ...pair }))
  return server
}

/** Closes a connection without progress. */
function cutStalled(socket: Socket): void {
  const connection = connectionOf(socket)
  const { newest, giveUpReading } = connection
  // If the headers do not arrive, the timeout for headers refuses the request.
  if (newest === undefined) return
  if (giveUpReading !== undefined) {
    const { bytesRead } = socket
    afterPendingReads(() => {
      if (socket.bytesRead > bytesRead || connection.giveUpReading !== giveUpReading) return
      connection.givenUp = true
      giveUpReading(requestTimeout())
    })
  } else if (socket.writableLength > 0 || newest.writableFinished) socket.destroy()
}

type WireError = Error & { code?: string; rawPacket?: Buffer }

function refuseMalformed(error: WireError, socket: Socket): void {
  if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refuseNow(error, socket)
  const { newest } = connectionOf(socket)
  const wasWhole = newest === undefined || newest.req.complete
  afterPendingReads(() => {
    const { newest: present } = connectionOf(socket)
    // The request may be over by now.
    const isWhole = wasWhole ? present !== newest : present?.req.complete === true
    if (!isWhole) refuseNow(error, socket)
  })
}

function refuseNow(error: WireError, socket: Socket): void {
  const connection = connectionOf(socket)
  if (connection.givenUp) return
  connection.givenUp = true
  if (!socket.writable || !/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error)
  const { newest, giveUpReading } = connection
  // A complete request, which has not been read completely yet, may precede the malformed bytes.
  if (giveUpReading !== undefined && newest?.req.complete === false) giveUpReading(refusal)
  else if (newest === undefined || newest.writableFinished || newest.destroyed) refuseConnection(socket, refusal)
  // Earlier requests are answered first.
  else newest.once('close', () => refuseConnection(socket, refusal))
}

function refusalOf({ code, rawPacket }: WireError): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest()
  // If the request line has not ended where the parser gave up, the target is too long.
  const isTarget = rawPacket !== undefined && /^[A-Z-]+ [^ \r\n]*$/.test(rawPacket.toString('latin1', 0, MAX_TARGET))
  return isTarget ? targetTooLong({ limit: MAX_TARGET }) : headersTooLarge()
}

/**
 * Accepts the connections of a server, keeps track of the open ones in `sockets`, and refuses connections from networks
 * that have too many. The fast path reads accepted connections if it is on; otherwise, node:http does. Returns a function
 * that closes the connections whose TLS handshake has not ended.
 */
export function acceptConnections(server: Server, sockets: OpenConnections, context: ServerContext): () => void {
  const isTls = 'setSecureContext' in server
  const event = isTls ? 'secureConnection' : 'connection'
  // node:http itself listens for connections. It must not see refused connections.
  const nodeListeners = server.listeners(event)
  server.removeAllListeners(event)
  const endHandshakes = isTls ? limitHandshakes(server, context) : () => {}

  function readByNode(socket: Socket): void {
    for (const listener of nodeListeners) listener.call(server, socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const read = context.fastPath ? openPlainReader(context, server, sockets, readByNode) : readByNode

  server.on(event, (socket: Socket) => {
    context.admission.noteConnection()
    connectionOf(socket).common = context.common
    const network = isTls ? null : context.networkOf(socket.remoteAddress ?? '')
    if (network !== null && sockets.countFrom(network) >= context.maxConnections) {
      context.noteConnectionRefusal()
      socket.on('error', () => {}).resume()
      return refuseConnection(socket, tooManyConnections({ limit: context.maxConnections }))
    }
    if (network === null) sockets.add(socket)
    else sockets.addFrom(network, socket)
    read(socket)
  })
  return endHandshakes
}

/**
 * Closes connections from networks that have too many before the TLS handshake, which costs more than most requests.
 * Failed handshakes are logged for debugging only, because anyone can cause them. Returns a function that closes the
 * connections whose handshake has not ended.
 */
function limitHandshakes(server: Server, context: ServerContext): () => void {
  const sockets = new OpenConnections()
  /** The connections in a handshake, by the address and port of the client. */
  const inHandshake = new Map<string, Socket>()
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  const nodeListeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const network = context.networkOf(socket.remoteAddress ?? '')
    if (network !== null && sockets.countFrom(network) >= context.maxConnections) {
      context.noteConnectionRefusal()
      socket.destroy()
      return
    }
    if (network !== null) {
      sockets.addFrom(network, socket)
      socket.once('close', () => sockets.delete(socket))
    }
    const key = keyOf(socket)
    inHandshake.set(key, socket)
    socket.once('close', () => inHandshake.delete(key))
    for (const listener of nodeListeners) listener.call(server, socket)
  })
  server.on('secureConnection', (socket: Socket) => inHandshake.delete(keyOf(socket)))
  server.on('tlsClientError', (error: Error, { remoteAddress }: Socket) =>
    context.log.debug({ reason: error.message, address: remoteAddress }, 'TLS handshake failed'),
  )
  return () => {
    for (const socket of inHandshake.values()) socket.destroy()
  }
}

/** The maximum time for accepting waiting connections, in milliseconds. */
const ACCEPTING_TIME = 2000

/** The maximum time that counts for one turn of the event loop, because this process may be suspended in between. */
const MAX_TURN_TIME = 100

/**
 * After this many turns of the event loop without a new connection, none is waiting. The first turn may be half over.
 */
const QUIET_TURNS = 3

/** Stops listening. Resolves when all connections are closed. */
export async function closeListeners(servers: readonly Server[]): Promise<void> {
  await acceptWaiting(servers)
  await Promise.all(servers.map(closeListener))
}

/** Accepts the connections that the system holds, because it would reset them when the server stops listening. */
async function acceptWaiting(servers: readonly Server[]): Promise<void> {
  let quietTurns = 0
  const onConnection = () => {
    quietTurns = 0
  }
  for (const server of servers) server.on('connection', onConnection)
  for (let time = 0; quietTurns < QUIET_TURNS && time < ACCEPTING_TIME; ) {
    const startedAt = performance.now()
    quietTurns += 1
    await new Promise(setImmediate)
    time += Math.min(performance.now() - startedAt, MAX_TURN_TIME)
  }
  for (const server of servers) server.off('connection', onConnection)
}

function closeListener(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // The `close` of node:http destroys idle connections, whose clients may be about to send a request.
  NetServer.prototype.close.call(server, () => resolve())
  // That `close` also stops the timer for slow headers, which is needed until all connections are closed.
  return promise.then(() => void server.close())
}
