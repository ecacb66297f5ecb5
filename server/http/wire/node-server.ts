import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '#lib/errors/refusal.ts'
import { afterPendingReads } from './after-pending-reads.ts'
import { connectionOf, refuseConnection } from './connection.ts'
import { createServer } from './node-http.ts'
import { headersTooLarge, MAX_TARGET, malformedRequest, requestTimeout, targetTooLong } from './wire-refusals.ts'

/** The timeouts of connections, in seconds. */
export type Timeouts = {
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
  headers: 10,
  stall: 10,
  keepAlive: 75,
  request: 3600,
  body: 30,
  lastRequest: 1,
}

/**
 * Creates a server of node:http that refuses, in the API's envelope, requests that are malformed, too long, or too
 * slow.
 */
export function createNodeServer(timeouts: Partial<Timeouts>, onRequest: RequestListener): Server {
  const { headers, stall, keepAlive, request } = { ...defaultTimeouts, ...timeouts }
  const server = createServer(
    {
      maxHeaderSize: 2 * MAX_TARGET,
      headersTimeout: headers * 1000,
      requestTimeout: request * 1000,
      connectionsCheckingInterval: Math.ceil(Math.min(1000, headers * 250)),
      keepAliveTimeout: keepAlive * 1000,
      // receive.ts refuses an HTTP/1.1 request without a Host header, in the envelope of the API.
      requireHostHeader: false,
      // A request without a body counts as read at once.
      optimizeEmptyRequests: true,
    },
    onRequest,
  )
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
