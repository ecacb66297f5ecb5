import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { makeProbePermit, PROBE_HEADER, PROBE_PATH, type ProbedServer } from '#http/probe.ts'
import type { DoctorContext } from './check.ts'

/** A response, with what its connection says. */
export type Reply = {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The certificate of an https server, and why it is not trusted; null if it is. */
  certificate: PeerCertificate | null
  distrust: string | null
}

type AskOptions = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** The address to connect to instead of that of the host. */
  address?: string
  /** The number of zeros to send as the body; the rest is not sent once the response has begun. */
  upload?: number
  /** Seconds until the request fails. */
  seconds?: number
}

/** Hosts that mean all addresses of the machine, to which no connection is possible. */
export const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::', '*']

/** The maximum size of a response that is read, in bytes. */
const MAX_BODY = 1024 * 1024

/** Sends a request without following redirects, on a connection of its own. Certificates are examined, not required. */
export function ask(url: string, { method = 'GET', headers = {}, address, upload, seconds = 8 }: AskOptions = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const { protocol } = new URL(url)
  const signal = AbortSignal.timeout(seconds * 1000)
  const family = address === undefined ? 0 : isIP(address)
  const request = (protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    ...{ method, agent: false, signal, rejectUnauthorized: false },
    headers: {
      ...headers,
      ...(upload !== undefined && { 'content-length': upload, 'content-type': 'application/octet-stream' }),
    },
    ...(address !== undefined && {
      lookup: ((_host, { all }, done) =>
        all ? done(null, [{ address, family }]) : done(null, address, family)) satisfies LookupFunction,
    }),
  })
  request.on('error', (error) => reject(signal.aborted ? new Error(`no response within ${seconds} seconds`) : error))
  request.on('response', (response) => {
    const socket = response.socket as TLSSocket
    const isSecure = socket.encrypted === true
    const chunks: Buffer[] = []
    let size = 0
    const finish = () => {
      resolve({
        ...{ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) },
        certificate: isSecure ? certificate : null,
        distrust: isSecure && !socket.authorized ? String(socket.authorizationError) : null,
      })
      request.destroy()
    }
    const certificate = isSecure ? socket.getPeerCertificate() : null
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY) finish()
      else chunks.push(chunk)
    })
    response.on('end', finish)
    response.on('error', finish)
  })
  if (upload === undefined) request.end()
  else void sendZeros(request, upload)
  return promise
}

/** Sends zeros at the pace of the connection, until all are sent or the request is over. */
async function sendZeros(request: ReturnType<typeof httpRequest>, count: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024)
  for (let sent = 0; sent < count && !request.destroyed; sent += piece.length) {
    const isTaken = request.write(piece.subarray(0, Math.min(piece.length, count - sent)))
    if (isTaken) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    request.once('drain', resolve).once('close', resolve)
    await promise
    request.off('drain', resolve).off('close', resolve)
  }
  if (!request.destroyed) request.end()
}

/** The answer of the probe: the server as it describes itself, or null if something else answered. */
export type ProbeReply = Reply & { server: ProbedServer | null }

/** Asks the server at the URL for its probe page. */
export async function askProbe(
  { secret, clock, random }: Pick<DoctorContext, 'secret' | 'clock' | 'random'>,
  url: string,
  { headers = {}, after = 0, ...options }: AskOptions & { after?: number } = {},
): Promise<ProbeReply> {
  if (secret.value === null) throw new Error(secret.reason)
  const permit = makeProbePermit({ secret: secret.value, clock, random })
  const query = after === 0 ? '' : `?after=${after}`
  const reply = await ask(`${url}${PROBE_PATH}${query}`, {
    ...options,
    headers: { ...headers, [PROBE_HEADER]: permit },
  })
  return { ...reply, server: reply.status === 200 ? readServer(reply.body) : null }
}

function readServer(body: Buffer): ProbedServer | null {
  try {
    const content = JSON.parse(body.toString()) as ProbedServer
    return typeof content.instance === 'string' ? content : null
  } catch {
    return null
  }
}
