import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { collectLog } from '../../../test/collected-log.ts'
import { received } from '../../../test/http/deferred-server.ts'
import { assertRefusal, echo, FORM, GET, type RawClient, responsesIn, serve } from '../../../test/http/raw-client.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { HttpRequest, HttpResponse } from './http-types.ts'
import type { HttpServerOptions } from './server.ts'

/** A server that has read the lines of GET and of FORM, and a client on whose connection it reads them without node:http. */
async function serveKnown(options: Partial<HttpServerOptions> = {}) {
  const wire = await serve({ answersInMemory: () => true, ...options })
  const client = wire.connect()
  let count = 0
  const ask = async (request: string) => {
    client.send(request)
    count += 1
    return (await answersUntil(client, count)).at(-1)
  }
  for (let times = 0; times < 3; times += 1) {
    await ask(GET)
    await ask(form('a=1'))
  }
  return { ...wire, client, ask, [Symbol.asyncDispose]: wire[Symbol.asyncDispose] }
}

const form = (body: string) => `${FORM}Content-Length: ${body.length}\r\n\r\n${body}`

/** What nothing may come behind. */
const LAST = GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')

async function answersUntil(client: RawClient, count: number) {
  for (let end = '}\n'; ; ) {
    const text = await client.until(end)
    const answers = responsesIn(text)
    if (answers.length >= count) return answers
    end = text.slice(-20)
    await sleep(1)
  }
}

test('a request that comes again is answered in the same words', async () => {
  await using server = await serveKnown()
  const fresh = server.connect()
  fresh.send(GET.replace('localhost', 'LOCALHOST'))
  const [byNode] = await answersUntil(fresh, 1)

  const known = await server.ask(GET)

  const undated = (head = '') => head.replace(/^Date: .*$/m, '')
  assert.equal(undated(known?.head), undated(byNode?.head))
  assert.equal(known?.body, byNode?.body)
  for (const client of [fresh, server.client]) client.socket.destroy()
})

test('a body may come after its head, in pieces, or never', async () => {
  await using server = await serveKnown()
  const { client } = server
  const [head = '', body = ''] = form('a=1&b=2').split(/(?<=\r\n\r\n)/)

  for (const piece of [head, body.slice(0, 3), body.slice(3)]) {
    client.send(piece)
    await sleep(20)
  }
  const answers = await answersUntil(client, 7)
  assert.deepEqual(JSON.parse(answers[6]?.body ?? '').body, { a: '1', b: '2' })

  const before = (await client.until('}\n')).length
  client.send(head)
  assertRefusal((await client.all()).slice(before), 408, 'REQUEST_TIMEOUT')
})

test('a client that goes, or closes its side, amid a body is answered as far as it can be', async () => {
  await using server = await serveKnown()
  const { client } = server
  const before = (await client.until('}\n')).length
  client.socket.end(form('a=1').slice(0, -1))

  assertRefusal((await client.all()).slice(before), 400, 'BAD_REQUEST')
})

test('what crashes, and what is refused, is answered and logged, and the connection goes on', async () => {
  const { log, entries } = collectLog()
  const dispatch = (exchange: HttpRequest): HttpResponse | Promise<HttpResponse> => {
    if (exchange.path === '/now') throw new Error('the secret cause')
    if (exchange.path === '/later') return Promise.reject(new Error('the secret cause'))
    if (exchange.path === '/refused') return Promise.reject(refusal('GONE', 410, 'It is gone')())
    return echo(exchange)
  }
  await using server = await serveKnown({ dispatch, log })

  const answers = []
  for (const path of ['/now', '/later', '/refused', '/here']) answers.push(await server.ask(GET.replace('/here', path)))

  assert.deepEqual(
    answers.map((answer) => answer?.status),
    [500, 500, 410, 200],
  )
  assert.doesNotMatch(JSON.stringify(answers), /secret/)
  const logged = entries.slice(-6).map(({ status, err }) => status ?? (err as Error).message)
  assert.deepEqual(logged, ['the secret cause', 500, 'the secret cause', 500, 410, 200])
  server.client.socket.destroy()
})

test('an answer that is not whole where it should be is a crash', async () => {
  const dispatch = (exchange: HttpRequest): HttpResponse =>
    exchange.path === '/stored'
      ? { status: 200, headers: {}, body: { length: 1, open: () => Readable.from(['x']) } }
      : echo(exchange)
  await using server = await serveKnown({ dispatch })

  assert.equal((await server.ask(GET.replace('here', 'stored')))?.status, 500)
  server.client.socket.destroy()
})

test('an answer without a body is written as node:http writes it', async () => {
  const dispatch = (exchange: HttpRequest): HttpResponse =>
    exchange.path === '/nothing' ? { status: 204, headers: { allow: 'GET' }, body: '' } : echo(exchange)
  await using known = await serveKnown({ dispatch })
  await using plain = await serve({ dispatch })
  const byNode = plain.connect()
  const before = (await known.client.until('}\n')).length
  for (const client of [known.client, byNode]) client.send(`${GET.replace('here', 'nothing')}${LAST}`)

  const undated = (text: string) => text.replace(/^Date: .*$/gm, '')
  assert.equal(undated((await known.client.all()).slice(before)), undated(await byNode.all()))
})

test('a client that closed its side and does not take its answer is cut', async () => {
  const judged = Promise.withResolvers<void>()
  const givenBack = Promise.withResolvers<void>()
  const dispatch = async (exchange: HttpRequest): Promise<HttpResponse> => {
    if (exchange.path !== '/long') return echo(exchange)
    givenBack.resolve()
    await judged.promise
    return { status: 200, headers: {}, body: 'x'.repeat(30_000_000) }
  }
  await using server = await serveKnown({ dispatch })
  const { client } = server
  client.socket.pause()
  client.socket.end(GET.replace('here', 'long'))
  await givenBack.promise
  await received(client)
  judged.resolve()
  await sleep(1500)
  client.socket.resume()

  await client.all()
  assert.ok(client.socket.bytesRead < 30_000_000)
})

test('a client that asks on before it took its answers, and then takes them, is heard further', async () => {
  const dispatch = async (exchange: HttpRequest): Promise<HttpResponse> =>
    exchange.path === '/long' ? { status: 200, headers: {}, body: `${'x'.repeat(10_000_000)}\n` } : echo(exchange)
  await using server = await serveKnown({ dispatch, timeouts: { headers: 20, stall: 20 } })
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

test('closing answers a request whose body is still to come', async () => {
  await using server = await serveKnown({ timeouts: { headers: 20, stall: 20 } })
  const { client } = server
  const [head = '', body = ''] = form('a=1').split(/(?<=\r\n\r\n)/)
  client.send(head)
  await received(client)
  const closed = server.server.close()
  await sleep(100)
  client.send(body)
  await closed

  const answers = responsesIn(await client.all())
  assert.deepEqual([answers.length, answers.at(-1)?.status], [7, 200])
})

test('closing answers what is being judged, and says that the connection ends', async () => {
  const judged = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const dispatch = async (exchange: HttpRequest) => {
    if (exchange.path === '/slow') {
      begun.resolve()
      await judged.promise
    }
    return echo(exchange)
  }
  await using server = await serveKnown({ dispatch })
  server.client.send(GET.replace('here', 'slow'))
  await begun.promise

  const closed = server.server.close()
  judged.resolve()
  await closed

  assert.match(responsesIn(await server.client.all()).at(-1)?.head ?? '', /^connection: close$/im)
})

test('a client that asks on without taking its answers is cut', async () => {
  const dispatch = async (exchange: HttpRequest): Promise<HttpResponse> =>
    exchange.path === '/long' ? { status: 200, headers: {}, body: `${'x'.repeat(10_000_000)}\n` } : echo(exchange)
  await using server = await serveKnown({ dispatch })
  const { socket } = server.client
  socket.pause()

  for (let times = 0; times < 3; times += 1) {
    socket.write(GET.replace('here', 'long'))
    await sleep(20)
  }
  await sleep(1000)
  socket.resume()

  await server.client.all()
  assert.ok(socket.bytesRead < 30_000_000)
})

const CHUNKED = `${FORM}Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n0\r\n\r\n`

/** Whatever clients send, or nearly. */
const requests = [
  ...[GET, GET, GET.replace('/here', '/there?a=b&c=%20'), GET.replace('/here', '/h"ere'), GET.replace('GET', 'DELETE')],
  ...[form('a=1'), form('a=1'), form(`b=${'x'.repeat(300)}`), form('')],
  ...[CHUNKED, form('a=1').replace('Length: ', 'Length:'), GET.replace('Host', 'HOST'), `\r\n${GET}`],
  GET.replace('Host: localhost', 'Host: localhost\r\nExpect: nothing'),
  `${GET.slice(0, -2)}Content-Length: 5\r\n\r\n12345`,
]

/** What ends a connection. */
const ends = [
  LAST,
  GET.replace('\r\n\r\n', '\r\nProxy-Connection: close\r\n\r\n'),
  GET.replace('1.1', '1.0'),
  GET.replace('Host: localhost\r\n', ''),
  GET.replace('Host', 'Ho st'),
  form('a=1').replace('Length: 3', 'Length: 3\r\nContent-Length: 4'),
  form('a=1').replace('Length: 3', 'Length: x'),
  form('').replace('Length: 0', 'Length: '),
]

test('whatever comes, in whichever pieces, is answered as it is by node:http alone', async () => {
  const timeouts = { headers: 5, stall: 5 }
  await using known = await serve({ answersInMemory: () => true, timeouts })
  await using plain = await serve({ timeouts })
  const stories = fc.record({
    said: fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 8 }),
    end: fc.constantFrom(...ends),
    cuts: fc.array(fc.record({ at: fc.nat(1500), pause: fc.nat(2) }), { maxLength: 8 }),
  })

  await fc.assert(
    fc.asyncProperty(stories, async ({ said, end, cuts }) => {
      const text = [...said, end].join('')
      const [byDoor, byNode] = await Promise.all([known, plain].map((server) => talk(server.connect(), text, cuts)))
      assert.equal(byDoor, byNode)
    }),
    { numRuns: 80 },
  )
})

/** Everything that is answered to the text, sent in pieces. */
async function talk(client: RawClient, text: string, cuts: readonly { at: number; pause: number }[]): Promise<string> {
  let sent = 0
  for (const { at, pause } of cuts.toSorted((one, other) => one.at - other.at)) {
    client.send(text.slice(sent, at))
    sent = Math.max(sent, at)
    await sleep(pause)
  }
  client.send(text.slice(sent))
  return (await client.all()).replace(/^Date: .*$/gm, '')
}
