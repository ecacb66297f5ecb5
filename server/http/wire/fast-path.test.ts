import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refusal } from '#lib/errors.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { fc } from '../../../test/fast-check.ts'
import { POLL, received, serveDeferred } from '../../../test/http/deferred-server.ts'
import {
  acceptedSocket,
  assertRefusal,
  echo,
  FORM,
  GET,
  type RawClient,
  responsesIn,
  SHORT_TIMEOUTS,
  serve,
  untilCut,
} from '../../../test/http/raw-client.ts'
import type { HttpRequest, HttpResponse } from '../http-types.ts'
import type { HttpServerOptions } from './server.ts'

/** Opens a server, and a client that has sent six plain requests. */
async function serveWithClient(options: Partial<HttpServerOptions> = {}) {
  const server = await serve({ answersInMemory: () => true, ...options })
  const client = server.connect()
  let count = 0
  const ask = async (request: string) => {
    client.send(request)
    count += 1
    return (await responsesUntil(client, count)).at(-1)
  }
  for (let times = 0; times < 3; times += 1) {
    await ask(GET)
    await ask(form('a=1'))
  }
  return { ...server, client, ask, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

const form = (body: string) => `${FORM}Content-Length: ${body.length}\r\n\r\n${body}`

/** The last request on a connection, which closes after the response. */
const LAST = GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

async function responsesUntil(client: RawClient, count: number) {
  for (let end = '}\n'; ; ) {
    const text = await client.until(end)
    const responses = responsesIn(text)
    if (responses.length >= count) return responses
    end = text.slice(-20)
    await sleep(1)
  }
}

test('a repeated request gets the same response', async () => {
  await using server = await serveWithClient()
  const fresh = server.connect()
  fresh.send(GET.replace('localhost', 'LOCALHOST'))
  const [byNode] = await responsesUntil(fresh, 1)

  const known = await server.ask(GET)

  const undated = (head = '') => head.replace(/^Date: .*$/m, '')
  assert.equal(undated(known?.head), undated(byNode?.head))
  assert.equal(known?.body, byNode?.body)
  for (const client of [fresh, server.client]) client.socket.destroy()
})

test('a body may arrive after its headers, and in pieces', async () => {
  await using server = await serveWithClient()
  const { client } = server
  const [head = '', body = ''] = form('a=1&b=2').split(/(?<=\r\n\r\n)/)

  for (const piece of [head, body.slice(0, 3), body.slice(3)]) {
    client.send(piece)
    await sleep(20)
  }
  const responses = await responsesUntil(client, 7)
  assert.deepEqual(JSON.parse(responses[6]?.body ?? '').body, { a: '1', b: '2' })
  client.socket.destroy()
})

test('a body that never arrives is refused', async () => {
  await using server = await serveWithClient({ timeouts: SHORT_TIMEOUTS })
  const { client } = server
  const before = (await client.until('}\n')).length
  client.send(form('a=1').slice(0, -3))

  assertRefusal((await client.all()).slice(before), 408, 'REQUEST_TIMEOUT')
})

test('a client that closes its side within a body is refused', async () => {
  await using server = await serveWithClient()
  const { client } = server
  const before = (await client.until('}\n')).length
  client.socket.end(form('a=1').slice(0, -1))

  assertRefusal((await client.all()).slice(before), 400, 'BAD_REQUEST')
})

test('crashes and refusals are answered and logged, and the connection stays open', async () => {
  const { log, entries } = collectLog()
  const dispatch = (request: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    if (request.path === '/now') throw new Error('the secret cause')
    if (request.path === '/later') return Promise.reject(new Error('the secret cause'))
    if (request.path === '/refused') return Promise.reject(refusal('GONE', 410, 'It is gone')())
    return echo(request)
  }
  await using server = await serveWithClient({ dispatch, log })

  const responses = []
  for (const path of ['/now', '/later', '/refused', '/here'])
    responses.push(await server.ask(GET.replace('/here', path)))

  assert.deepEqual(
    responses.map((response) => response?.status),
    [500, 500, 410, 200],
  )
  assert.doesNotMatch(JSON.stringify(responses), /secret/)
  const logged = entries.slice(-6).map(({ status, err }) => status ?? (err as Error).message)
  assert.deepEqual(logged, ['the secret cause', 500, 'the secret cause', 500, 410, 200])
  server.client.socket.destroy()
})

test('a streamed response for a path whose responses are in memory is a crash', async () => {
  const dispatch = (request: HttpRequest): HttpResponse =>
    request.path === '/stored'
      ? { status: 200, headers: {}, body: { length: 1, open: () => Readable.from(['x']) } }
      : echo(request)
  await using server = await serveWithClient({ dispatch })

  assert.equal((await server.ask(GET.replace('here', 'stored')))?.status, 500)
  server.client.socket.destroy()
})

test('a response without a body is written as node:http writes it', async () => {
  const dispatch = (request: HttpRequest): HttpResponse =>
    request.path === '/nothing' ? { status: 204, headers: { allow: 'GET' }, body: '' } : echo(request)
  await using known = await serveWithClient({ dispatch })
  await using plain = await serve({ dispatch, fastPath: false })
  const byNode = plain.connect()
  const before = (await known.client.until('}\n')).length
  for (const client of [known.client, byNode]) client.send(`${GET.replace('here', 'nothing')}${LAST}`)

  const undated = (text: string) => text.replace(/^Date: .*$/gm, '')
  assert.equal(undated((await known.client.all()).slice(before)), undated(await byNode.all()))
})

test('the connection of a client that closed its side and does not read its response is closed', async () => {
  const handled = Promise.withResolvers<void>()
  const dispatched = Promise.withResolvers<void>()
  const dispatch = async (request: HttpRequest): Promise<HttpResponse> => {
    if (request.path !== '/long') return echo(request)
    dispatched.resolve()
    await handled.promise
    return { status: 200, headers: {}, body: 'x'.repeat(30_000_000) }
  }
  await using server = await serveWithClient({ dispatch, timeouts: SHORT_TIMEOUTS })
  const { client } = server
  client.socket.pause()
  client.socket.end(GET.replace('here', 'long'))
  await dispatched.promise
  await received(client)
  handled.resolve()
  await untilCut(client)
  client.socket.resume()

  await client.all()
  assert.ok(client.socket.bytesRead < 30_000_000)
})

test('a client that reads its responses late can send further requests', async () => {
  const dispatch = async (request: HttpRequest): Promise<HttpResponse> =>
    request.path === '/long' ? { status: 200, headers: {}, body: `${'x'.repeat(10_000_000)}\n` } : echo(request)
  await using server = await serveWithClient({ dispatch })
  const { client } = server
  client.socket.pause()
  client.send(GET.replace('here', 'long'))
  await received(client)
  client.send(GET)
  await received(client)
  client.socket.resume()
  await client.until('x\nHTTP')
  client.send(LAST)

  assert.equal(responsesIn(await client.all()).length, 9)
})

test('a closing server answers a request whose body has not arrived yet', async () => {
  await using server = await serveWithClient({ timeouts: { headers: 20, stall: 20 } })
  const { client } = server
  const [head = '', body = ''] = form('a=1').split(/(?<=\r\n\r\n)/)
  client.send(head)
  await received(client)
  const closed = server.server.close()
  await sleep(100)
  client.send(body)
  await closed

  const responses = responsesIn(await client.all())
  assert.deepEqual([responses.length, responses.at(-1)?.status], [7, 200])
})

test('a closing server answers a request that is being handled, and announces that the connection closes', async () => {
  const handled = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const dispatch = async (request: HttpRequest) => {
    if (request.path === '/slow') {
      begun.resolve()
      await handled.promise
    }
    return echo(request)
  }
  await using server = await serveWithClient({ dispatch })
  server.client.send(GET.replace('here', 'slow'))
  await begun.promise

  const closed = server.server.close()
  handled.resolve()
  await closed

  assert.match(responsesIn(await server.client.all()).at(-1)?.head ?? '', /^connection: close$/im)
})

test('the connection of a client that sends requests without reading the responses is closed', async () => {
  const dispatch = async (request: HttpRequest): Promise<HttpResponse> =>
    request.path === '/long' ? { status: 200, headers: {}, body: `${'x'.repeat(10_000_000)}\n` } : echo(request)
  await using server = await serveWithClient({ dispatch, timeouts: SHORT_TIMEOUTS })
  const { socket } = server.client
  socket.pause()

  for (let times = 0; times < 3; times += 1) {
    socket.write(GET.replace('here', 'long'))
    await sleep(20)
  }
  await untilCut(server.client)
  socket.resume()

  await server.client.all()
  assert.ok(socket.bytesRead < 30_000_000)
})

test('a request that follows a waiting poll is not read before the poll is answered', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const poll = await server.nextPoll()

  client.send(GET + POLL)
  await received(client)

  assert.equal(server.arrived.length, 0)
  poll.answer('first\n')
  ;(await server.nextPoll()).answer('second\n')
  const text = await client.until('second\n')
  assert.ok(text.indexOf('first') < text.indexOf('"/here"'))
  client.socket.destroy()
})

test('the response to the last request of a client that closed its side says that the connection closes', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const poll = await server.nextPoll()
  client.socket.end()
  await new Promise((resolve) => client.socket.once('finish', resolve))
  await received(client)

  poll.answer('late\n')

  assert.match(responsesIn(await client.all()).at(-1)?.head ?? '', /^connection: close$/im)
})

test('a waiting poll keeps no parser of node:http', async () => {
  await using fast = await serveDeferred()
  await using plain = await serveDeferred({ fastPath: false })
  const parsers = []
  for (const server of [fast, plain]) {
    const client = server.connect()
    client.send(POLL)
    const poll = await server.nextPoll()
    parsers.push(Reflect.get(acceptedSocket(client), 'parser') ?? null)
    poll.answer('late\n')
    client.socket.destroy()
  }

  assert.equal(parsers[0], null)
  assert.notEqual(parsers[1], null)
})

const CHUNKED = `${FORM}Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n0\r\n\r\n`

/** Requests as clients send them, and some that few clients send. */
const typicalRequests = [
  ...[GET, GET, GET.replace('/here', '/there?a=b&c=%20'), GET.replace('/here', '/h"ere'), GET.replace('GET', 'DELETE')],
  ...[form('a=1'), form('a=1'), form(`b=${'x'.repeat(300)}`), form('')],
  ...[CHUNKED, form('a=1').replace('Length: ', 'Length:'), GET.replace('Host', 'HOST'), `\r\n${GET}`],
  GET.replace('Host: localhost', 'Host: localhost\r\nExpect: nothing'),
  `${GET.slice(0, -2)}Content-Length: 5\r\n\r\n12345`,
]

/** Requests after which the connection closes. */
const lastRequests = [
  LAST,
  GET.replace('\r\n\r\n', '\r\nProxy-Connection: close\r\n\r\n'),
  GET.replace('1.1', '1.0'),
  GET.replace('Host: localhost\r\n', ''),
  GET.replace('Host', 'Ho st'),
  form('a=1').replace('Length: 3', 'Length: 3\r\nContent-Length: 4'),
  form('a=1').replace('Length: 3', 'Length: x'),
  form('').replace('Length: 0', 'Length: '),
]

test('any requests, in any pieces, get the same responses as from node:http alone', async () => {
  await using fast = await serve({ answersInMemory: () => true })
  await using plain = await serve({ fastPath: false })
  const conversations = fc.record({
    requests: fc.array(fc.constantFrom(...typicalRequests), { minLength: 1, maxLength: 8 }),
    end: fc.constantFrom(...lastRequests),
    cuts: fc.array(fc.record({ at: fc.nat(1500), pause: fc.nat(2) }), { maxLength: 8 }),
  })

  await fc.assert(
    fc.asyncProperty(conversations, async ({ requests, end, cuts }) => {
      const text = [...requests, end].join('')
      const [byFastPath, byNode] = await Promise.all([fast, plain].map((server) => talk(server.connect(), text, cuts)))
      assert.equal(byFastPath, byNode)
    }),
    { numRuns: 80 },
  )
})

/** Sends the text in pieces, and returns all responses. */
async function talk(client: RawClient, text: string, cuts: readonly { at: number; pause: number }[]): Promise<string> {
  let sent = 0
  for (const { at, pause } of cuts.toSorted((first, other) => first.at - other.at)) {
    client.send(text.slice(sent, at))
    sent = Math.max(sent, at)
    await sleep(pause)
  }
  client.send(text.slice(sent))
  return (await client.all()).replace(/^Date: .*$/gm, '')
}
