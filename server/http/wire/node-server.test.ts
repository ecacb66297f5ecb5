import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fc } from '../../../test/fast-check.ts'
import {
  assertRefusal,
  echo,
  FORM,
  GET,
  responsesIn,
  SHORT_TIMEOUTS,
  serve,
  untilCut,
} from '../../../test/http/raw-client.ts'
import { sized } from '../../../test/size.ts'
import type { HttpRequest } from '../http-types.ts'

for (const [what, bytes] of Object.entries({
  'data that is not HTTP': 'hello?\r\n\r\n',
  'a version that does not exist': 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
  'a version other than 1.0 and 1.1': 'GET / HTTP/0.9\r\nHost: localhost\r\n\r\n',
  'a version with another framing': 'GET / HTTP/2.0\r\nHost: localhost\r\n\r\n',
  'the beginning of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an unknown method': 'BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'a tunnel request': 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  'a request without a host': 'GET / HTTP/1.1\r\n\r\n',
  'a repeated Host header': 'GET / HTTP/1.1\r\nHost: one\r\nhost: two\r\n\r\n',
  'a repeated Authorization header':
    'GET / HTTP/1.1\r\nHost: one\r\nAuthorization: Basic a\r\nauthorization: Basic b\r\n\r\n',
  'a broken header': 'GET / HTTP/1.1\r\nHost: localhost\r\nNo colon here\r\n\r\n',
  'a repeated Content-Length header': `${FORM}Content-Length: 3\r\nContent-Length: 4\r\n\r\na=1`,
  'a body whose length is not a number': `${FORM}Content-Length: many\r\n\r\na=1`,
  'a chunked body with a length': `${FORM}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\na=1`,
  'an unsupported encoding': `${FORM}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'a chunk without a size': `${FORM}Transfer-Encoding: chunked\r\n\r\nzzz\r\na=1\r\n`,
})) {
  test(`${what} is refused in the envelope, and the server continues`, async () => {
    await using server = await serve()
    const client = server.connect()

    client.send(bytes)

    assertRefusal(await client.all(), 400, 'BAD_REQUEST')
    const next = server.connect()
    next.send(GET)
    assert.match(await next.until('"/here"'), /^HTTP\/1.1 200 OK/)
    next.socket.destroy()
  })
}

test('a body that is shorter than its length is refused', async () => {
  await using server = await serve()
  const client = server.connect()

  client.send(`${FORM}Content-Length: 100\r\n\r\na=1`)
  await sleep(50)
  client.socket.end()

  assertRefusal(await client.all(), 400, 'BAD_REQUEST')
})

for (const length of [20_000, 60_000, 300_000]) {
  test(`a target of ${length} bytes is refused as too long`, async () => {
    await using server = await serve()
    const client = server.connect()

    client.send(`GET /${'x'.repeat(length)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)

    assertRefusal(await client.all(), 414, 'URI_TOO_LONG')
  })
}

test('headers that are too large are refused', async () => {
  await using server = await serve()
  const client = server.connect()

  client.send(`GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ${'x'.repeat(100_000)}\r\n\r\n`)

  assertRefusal(await client.all(), 431, 'HEADERS_TOO_LARGE')
})

test('endless headers are refused, even if they arrive steadily', async () => {
  await using server = await serve({ timeouts: SHORT_TIMEOUTS })
  const client = server.connect()

  client.send('GET / HTTP/1.1\r\n')
  const dripping = setInterval(() => client.send('a: b\r\n'), 50)

  assertRefusal(await client.all(), 408, 'REQUEST_TIMEOUT')
  clearInterval(dripping)
})

test('a connection that sends nothing is refused', async () => {
  await using server = await serve({ timeouts: SHORT_TIMEOUTS })
  const client = server.connect()

  assertRefusal(await client.all(), 408, 'REQUEST_TIMEOUT')
})

test('a partial request after a complete one is refused', async () => {
  await using server = await serve({ timeouts: SHORT_TIMEOUTS })
  const client = server.connect()
  client.send(GET)
  await client.until('"/here"')

  client.send('GET / HT')

  const [first, second] = responsesIn(await client.all())
  assert.equal(first?.status, 200)
  assert.equal(second?.status, 408)
})

test('a body that stalls is refused, and one that arrives slowly is read', async () => {
  await using server = await serve({ timeouts: { stall: 3 } })
  const [stuck, slow] = [server.connect(), server.connect()]

  stuck.send(`${FORM}Content-Length: 8\r\n\r\na=`)
  slow.send(`${FORM}Content-Length: 15\r\n\r\n`)
  for (const letter of 'a=1234567890123') {
    await sleep(250)
    slow.send(letter)
  }

  assertRefusal(await stuck.all(), 408, 'REQUEST_TIMEOUT')
  assert.match(await slow.until('1234567890123'), /^HTTP\/1.1 200 OK/)
  slow.socket.destroy()
})

test('a slow response is not aborted', async () => {
  const dispatch = async (request: HttpRequest) => {
    await sleep(3000 * SHORT_TIMEOUTS.stall)
    return echo(request)
  }
  await using server = await serve({ dispatch, timeouts: SHORT_TIMEOUTS })
  const client = server.connect()

  client.send(`${FORM}Content-Length: 3\r\n\r\na=1`)

  assert.match(await client.until('"a"'), /^HTTP\/1.1 200 OK/)
  client.socket.destroy()
})

test('the connection of a client that does not read its response is closed, even after a pipelined request', async () => {
  const dispatch = () => ({ status: 200, headers: {}, body: Buffer.alloc(50_000_000) })
  await using server = await serve({ dispatch, timeouts: SHORT_TIMEOUTS })
  const client = server.connect()

  client.socket.pause()
  client.send(GET + GET)
  await untilCut(client)
  client.socket.resume()

  await client.all()
  assert.ok(client.socket.bytesRead < 50_000_000)
})

test('an idle connection is closed silently', async () => {
  await using server = await serve({ timeouts: { keepAlive: 0.1 } })
  const client = server.connect()
  client.send(GET)

  assert.equal(responsesIn(await client.all()).length, 1)
})

test('any bytes get responses with a status below 500, and the server continues', async () => {
  const plain = `${FORM}Content-Length: 3\r\n\r\na=1`
  const damaged = (request: string, at: number, bytes: string) => ({ request, at, drop: 0, bytes })
  const whole = [
    plain,
    `${FORM}Transfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n0\r\n\r\n`,
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 63\r\n\r\n' +
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
  ]
  const bytes = fc.string({ unit: fc.constantFrom(...'\r\n\0 :;=&%/\\"-,0159aGx\xff') })
  const damage = fc.record({ request: fc.constantFrom(...whole), at: fc.nat(300), drop: fc.nat(40), bytes })
  await using server = await serve({ timeouts: { headers: 0.25, stall: 0.25 } })
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (requests) => {
      const client = server.connect()

      for (const { request, at, drop, bytes } of requests)
        client.send(request.slice(0, at) + bytes + request.slice(at + drop))
      client.socket.end()

      const responses = responsesIn((await client.all()).replaceAll('HTTP/1.1 100 Continue\r\n\r\n', ''))
      assert.ok(responses.length > 0)
      for (const { status } of responses) assert.ok(status < 500)
    }),
    // A response with characters of two bytes, followed by another one.
    { numRuns: sized(100, 300), examples: [[[damaged(plain, 26, '\xff\xff'), damaged(plain, 0, '')]]] },
  )
})
