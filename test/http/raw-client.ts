import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { type HttpServer, type HttpServerOptions, openHttpServer } from '#http/wire/server.ts'
import { openLog } from '#lib/log.ts'
import { systemRandom } from '#lib/secrets.ts'

/** A server for tests of the wire, and clients that may send any bytes. */
type RawServer = AsyncDisposable & { server: HttpServer; port: number; connect(): RawClient }

/** Responds with the request as the server understood it. */
export const echo = ({ method, path, host, query, body }: HttpRequest): HttpResponse => {
  const understood = { method, path, host, query: Object.fromEntries(query), body: Object.fromEntries(body) }
  return { status: 200, headers: {}, body: `${JSON.stringify(understood)}\n` }
}

let isFastPathOn = true

/** Makes `serve` open servers without the fast path from now on. Call it in a test file before importing others. */
export function turnOffFastPath(): void {
  isFastPathOn = false
}

/** Returns whether the tests of this process use the fast path. */
export const usesFastPath = (): boolean => isFastPathOn

/** Timeouts in seconds for tests of clients that are too slow. */
export const SHORT_TIMEOUTS = { headers: 2, stall: 1 }

/** The connections that servers of this process have accepted, by the ports of the server and the client. */
const accepted = new Map<string, WeakRef<Socket>>()
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket }
  accepted.set(`${socket.localPort} ${socket.remotePort}`, new WeakRef(socket))
})

/** Returns the server's side of a connection that it has accepted. */
export function acceptedSocket({ socket }: RawClient): Socket {
  const found = accepted.get(portsOf(socket))?.deref()
  assert.ok(found)
  return found
}

const portsOf = (socket: Socket) => `${socket.remotePort} ${socket.localPort}`

/** Resolves when the server has closed the connection of a client that does not read, after a minute at most. */
export async function untilCut({ socket }: RawClient): Promise<void> {
  if (socket.connecting) await once(socket, 'connect')
  const ports = portsOf(socket)
  const isOpen = () => !accepted.has(ports) || accepted.get(ports)?.deref()?.closed === false
  for (let tries = 0; tries < 3000 && isOpen(); tries += 1) await sleep(20)
}

/** Opens a server that echoes requests by default. Its timeouts are longer than a test, except while it closes. */
export async function serve(options: Partial<HttpServerOptions> = {}): Promise<RawServer> {
  const timeouts = { headers: 600, stall: 600, keepAlive: 600, lastRequest: 0.02, ...options.timeouts }
  const defaults = { dispatch: echo, log: openLog('silent'), random: systemRandom, fastPath: isFastPathOn }
  const server = openHttpServer({ ...defaults, ...options, timeouts })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { server, port, connect: () => connectTo(port), [Symbol.asyncDispose]: () => server.close() }
}

export type RawClient = {
  readonly socket: Socket
  send(text: string): void
  /** Returns everything that arrives until the server closes its side, one character for each byte. */
  all(): Promise<string>
  /** Returns everything that has arrived once it contains this text, one character for each byte. */
  until(text: string): Promise<string>
}

function connectTo(port: number): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: string[] = []
  socket.setEncoding('latin1').on('data', (text) => chunks.push(String(text)))
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()))
  return {
    socket,
    send: (text) => socket.write(text, 'latin1'),
    async all() {
      await ended
      socket.destroy()
      return chunks.join('')
    },
    async until(text) {
      let [seen, tail] = [0, '']
      for (;;) {
        // Each chunk is searched once: a response may have tens of megabytes.
        for (; seen < chunks.length; seen += 1) {
          const part = tail + chunks[seen]
          if (part.includes(text)) return chunks.join('')
          tail = part.slice(-text.length)
        }
        await next(socket)
      }
    },
  }
}

async function next(socket: Socket): Promise<void> {
  if (socket.readableEnded || socket.destroyed) throw new Error('The server closed the connection')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = () => reject(new Error('The server closed the connection'))
  socket
    .once('data', () => resolve())
    .once('end', fail)
    .once('close', fail)
  await promise.finally(() => socket.off('end', fail).off('close', fail))
}

/** Splits bytes into responses; each declares the length of its body. */
export function responsesIn(bytes: string): { status: number; head: string; body: string }[] {
  const responses = []
  for (let rest = bytes; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    assert.notEqual(end, -1, rest)
    const head = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString()
    responses.push({ status: Number(head.slice(9, 12)), head, body })
    rest = rest.slice(end + 4 + length)
  }
  return responses
}

/** Asserts that the bytes are one refusal in the API's envelope, and that the connection closes. */
export function assertRefusal(text: string, status: number, code: string): void {
  const [response, ...others] = responsesIn(text)
  assert.equal(response?.status, status)
  assert.match(response.head, /^content-type: application\/json$/im)
  assert.match(response.head, /^connection: close$/im)
  assert.ok(response.body.endsWith('}\n'))
  assert.partialDeepStrictEqual(JSON.parse(response.body), { result: 'error', code })
  assert.deepEqual(others, [])
}

export const GET = 'GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** The beginning of a request with a form. Its length and the form itself must follow. */
export const FORM = 'POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n'
