import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../../platform/errors/refusal.ts'
import { afterPendingReads } from './after-pending-reads.ts'
import { connectionOf, refuseConnection } from './connection.ts'
import { createServer } from './node-http.ts'
import { headersTooLarge, MAX_TARGET, malformedRequest, requestTimeout, targetTooLong } from './wire-refusals.ts'

/** In seconds. */
export type Timeouts = {
  /** From the first byte of a request, or from connecting, to the end of its headers. */
  headers: number
  /** Without progress, for a body that arrives and for an answer that is being taken. */
  stall: number
  /** Between two requests on a connection. */
  keepAlive: number
  /** From the first byte of a request to its last, however steadily they come. */
  request: number
  /** For a body to arrive: whole, or faster than the least rate from then on. */
  body: number
  /** While the server closes: how long an idle connection stays open for one more request. */
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

/** A server that refuses, in the API's envelope, what is not HTTP, too long, or too slow, and survives all of it. */
export function createNodeServer(timeouts: Partial<Timeouts>, onRequest: RequestListener): Server {
  const { headers, stall, keepAlive, request } = { ...defaultTimeouts, ...timeouts }
  const server = createServer(
    {
      maxHeaderSize: 2 * MAX_TARGET,
      headersTimeout: headers * 1000,
      requestTimeout: request * 1000,
      connectionsCheckingInterval: Math.ceil(Math.min(1000, headers * 250)),
      keepAliveTimeout: keepAlive * 1000,
      // An HTTP/1.1 request without it is refused in the envelope; see receive.ts.
      requireHostHeader: false,
      // A request without a body is read as soon as it is there.
      optimizeEmptyRequests: true,
    },
    onRequest,
  )
  server.timeout = stall * 1000
  // A client may close its side once its request is out, and still read the answer.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('timeout', cutStalled)
  server.on('clientError', refuseBroken)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    refuseConnection(socket, malformedRequest())
  })
  // Whoever reads the body says 100 Continue, once it knows that it wants it; other expectations are passed over.
  const pass = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response)
  server.on('checkContinue', pass)
  server.on('checkExpectation', pass)
  return server
}

/** Ends a connection on which nothing moved for as long as its present state allows. */
function cutStalled(socket: Socket): void {
  const connection = connectionOf(socket)
  const { newest, giveUpReading } = connection
  // Headers that do not arrive are the headers timeout's to refuse.
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

function refuseBroken(error: WireError, socket: Socket): void {
  if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return refuseNow(error, socket)
  const { newest } = connectionOf(socket)
  const wasWhole = newest === undefined || newest.req.complete
  afterPendingReads(() => {
    const { newest: present } = connectionOf(socket)
    // The request has come to its end meanwhile.
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
  // A whole request may lie before the broken bytes, not read to its end yet.
  if (giveUpReading !== undefined && newest?.req.complete === false) giveUpReading(refusal)
  else if (newest === undefined || newest.writableFinished || newest.destroyed) refuseConnection(socket, refusal)
  // Requests before the broken one are answered first.
  else newest.once('close', () => refuseConnection(socket, refusal))
}

function refusalOf({ code, rawPacket }: WireError): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest()
  // A request line that has not ended where the parser gave up: it is the target that is too long.
  const isTarget = rawPacket !== undefined && /^[A-Z-]+ [^ \r\n]*$/.test(rawPacket.toString('latin1', 0, MAX_TARGET))
  return isTarget ? targetTooLong({ limit: MAX_TARGET }) : headersTooLarge()
}
