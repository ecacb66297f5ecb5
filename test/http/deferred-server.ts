import type { BufferedBody, BufferedResponse, HttpRequest } from '#http/http-types.ts'
import type { HttpServerOptions } from '#http/wire/server.ts'
import { Deferred } from '#lib/deferred.ts'
import { echo, type RawClient, responsesIn, serve } from './raw-client.ts'

export const POLL = 'GET /poll HTTP/1.1\r\nHost: localhost\r\n\r\n'

export type Poll = { answer(body: BufferedBody): void; fail(error: unknown): void; readonly givenUp: Promise<void> }

/** Opens a server that holds requests for /poll until the test answers them, and echoes all others. */
export async function serveDeferred(options: Partial<HttpServerOptions> = {}) {
  const arrived: Poll[] = []
  let wake = () => {}
  const hold = () => {
    const { promise: givenUp, resolve } = Promise.withResolvers<void>()
    const deferred = new Deferred<BufferedResponse>({ giveUp: resolve })
    arrived.push({
      answer: (body) => deferred.settle(() => ({ status: 200, headers: { 'x-kind': 'late' }, body })),
      fail: (error) =>
        deferred.settle(() => {
          throw error
        }),
      givenUp,
    })
    wake()
    return deferred
  }
  const dispatch = async (request: HttpRequest) => {
    if (request.path === '/poll') return hold()
    return { ...echo(request), headers: { 'x-kind': 'ready' } }
  }
  const server = await serve({ dispatch, answersInMemory: () => true, ...options })
  /** Returns the next poll once everything that was sent with it has arrived as well. */
  const nextPoll = async (): Promise<Poll> => {
    while (arrived.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    await new Promise(setImmediate)
    return arrived.shift() as Poll
  }
  return { ...server, arrived, nextPoll, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

/** Returns the bodies that arrive until this text does. */
export async function bodiesUntil(client: RawClient, text: string): Promise<string[]> {
  return responsesIn(await client.until(text)).map(({ body }) => body)
}

/**
 * Resolves when the server has read everything that was sent: the bytes are on the loopback, and the event loop has
 * looked there.
 */
export async function received({ socket }: RawClient): Promise<void> {
  if (socket.writable) await new Promise((resolve) => socket.write('', resolve))
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
}
