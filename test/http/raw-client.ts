import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import type { HttpRequest, HttpResponse } from '../../server/http/wire/http-types.ts'
import { type HttpServer, type HttpServerOptions, openHttpServer } from '../../server/http/wire/server.ts'
import { openLog } from '../../server/platform/runtime/log.ts'
import { systemRandom } from '../../server/platform/security/random.ts'

/** For the tests of the wire: a server that lives as long as one of them, and clients that may say anything. */
export type RawServer = AsyncDisposable & { server: HttpServer; port: number; connect(): RawClient }

/** Answers with what it understood of the request. */
export const echo = ({ method, path, host, query, body }: HttpRequest): HttpResponse => {
  const said = { method, path, host, query: Object.fromEntries(query), body: Object.fromEntries(body) }
  return { status: 200, headers: {}, body: `${JSON.stringify(said)}\n` }
}

/** Opens a server that echoes, unless told otherwise, and whose patience is a quarter of a second. */
export async function serve(options: Partial<HttpServerOptions> = {}): Promise<RawServer> {
  const timeouts = { headers: 0.25, stall: 0.25, lastRequest: 0.02, ...options.timeouts }
  const server = openHttpServer({ dispatch: echo, log: openLog('silent'), random: systemRandom, ...options, timeouts })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { server, port, connect: () => dial(port), [Symbol.asyncDispose]: () => server.close() }
}

export type RawClient = {
  readonly socket: Socket
  send(text: string): void
  /** All that came until the server closed its side, a character for each byte. */
  all(): Promise<string>
  /** All that came until it holds this text, likewise. */
  until(text: string): Promise<string>
}

function dial(port: number): RawClient {
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
        // Each chunk is looked at once: an answer may have tens of megabytes.
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
  if (socket.readableEnded || socket.destroyed) throw new Error('the server closed the connection')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = () => reject(new Error('the server closed the connection'))
  socket
    .once('data', () => resolve())
    .once('end', fail)
    .once('close', fail)
  await promise.finally(() => socket.off('end', fail).off('close', fail))
}

/** The answers in what came, one after the other; each says how many bytes its body has. */
export function responsesIn(bytes: string): { status: number; head: string; body: string }[] {
  const answers = []
  for (let rest = bytes; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    assert.notEqual(end, -1, rest)
    const head = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString()
    answers.push({ status: Number(head.slice(9, 12)), head, body })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

/** That what came is one refusal in the envelope, and the end of the connection. */
export function assertRefusal(text: string, status: number, code: string): void {
  const [answer, ...others] = responsesIn(text)
  assert.equal(answer?.status, status)
  assert.match(answer.head, /^content-type: application\/json$/im)
  assert.match(answer.head, /^connection: close$/im)
  assert.ok(answer.body.endsWith('}\n'))
  assert.partialDeepStrictEqual(JSON.parse(answer.body), { result: 'error', code })
  assert.deepEqual(others, [])
}

export const GET = 'GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** The beginning of a form; what says its length, and the form itself, are to follow. */
export const FORM = 'POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n'
