import type { BufferedBody, BufferedResponse, HttpRequest } from '../../server/http/wire/http-types.ts'
import type { HttpServerOptions } from '../../server/http/wire/server.ts'
import { Deferred } from '../../server/platform/runtime/deferred.ts'
import { echo, type RawClient, responsesIn, serve } from './raw-client.ts'

export const POLL = 'GET /poll HTTP/1.1\r\nHost: localhost\r\n\r\n'

export type Poll = { answer(body: BufferedBody): void; fail(error: unknown): void; readonly givenUp: Promise<void> }

/** A server that holds requests for /poll until they are answered, and echoes all others. */
export async function serveDeferred(options: Partial<HttpServerOptions> = {}) {
  const arrived: Poll[] = []
  let wake = () => {}
  const hold = () => {
    const { promise: givenUp, resolve } = Promise.withResolvers<void>()
    const late = new Deferred<BufferedResponse>({ giveUp: resolve })
    arrived.push({
      answer: (body) => late.settle(() => ({ status: 200, headers: { 'x-kind': 'late' }, body })),
      fail: (error) =>
        late.settle(() => {
          throw error
        }),
      givenUp,
    })
    wake()
    return late
  }
  const dispatch = async (exchange: HttpRequest) => {
    if (exchange.path === '/poll') return hold()
    return { ...echo(exchange), headers: { 'x-kind': 'ready' } }
  }
  const wire = await serve({ dispatch, ...options })
  /** The next that arrived, once whatever it brought along was received as well. */
  const nextPoll = async (): Promise<Poll> => {
    while (arrived.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    await new Promise(setImmediate)
    return arrived.shift() as Poll
  }
  return { ...wire, arrived, nextPoll, [Symbol.asyncDispose]: wire[Symbol.asyncDispose] }
}

/** The bodies that came until this text did. */
export async function bodiesUntil(client: RawClient, text: string): Promise<string[]> {
  return responsesIn(await client.until(text)).map(({ body }) => body)
}

/** Resolves when the server has read what was sent: it lies on this machine's loopback, and the loop has looked there. */
export async function received({ socket }: RawClient): Promise<void> {
  if (socket.writable) await new Promise((resolve) => socket.write('', resolve))
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
}
