import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { InjectOptions } from 'light-my-request'
import { openLog } from '#lib/log.ts'
import { systemRandom } from '#lib/secrets.ts'
import { acceptedSocket, assertRefusal, echo, FORM, responsesIn, serve } from '../../../test/http/raw-client.ts'
import { inject } from '../../../test/inject.ts'
import type { HttpRequest } from '../http-types.ts'
import { openHttpServer } from '../wire/server.ts'

const askEcho = (request: InjectOptions) =>
  inject(openHttpServer({ dispatch: echo, log: openLog('silent'), random: systemRandom }), request)

test('query and form are separate, for any method and spelling of the type', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const response = await askEcho({
      method,
      url: '/api//v1///users?a=1&a=2&b=%5B1%5D',
      headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' },
      payload: 'event_types=["message"]&all=true&n=%FF+%&a=3',
    })

    assert.deepEqual(response.json(), {
      method,
      path: '/api/v1/users',
      host: 'localhost:80',
      query: { a: '2', b: '[1]' },
      body: { event_types: '["message"]', all: 'true', n: '\ufffd %', a: '3' },
    })
  }
})

test('a body that is not a form has no fields, and is not refused', async () => {
  const bodyOf = async (method: 'GET' | 'HEAD' | 'POST', contentType: string | undefined) => {
    const response = await askEcho({ method, url: '/', headers: { 'content-type': contentType }, payload: 'a=1' })
    assert.equal(response.statusCode, 200)
    return method === 'HEAD' ? {} : response.json().body
  }

  assert.deepEqual(await bodyOf('POST', 'application/json'), {})
  assert.deepEqual(await bodyOf('POST', undefined), {})
  assert.deepEqual(await bodyOf('POST', ';;;= what?'), {})
  assert.deepEqual(await bodyOf('GET', 'application/x-www-form-urlencoded'), {})
  assert.deepEqual(await bodyOf('HEAD', 'application/x-www-form-urlencoded'), {})
})

test('a form may be chunked', async () => {
  await using server = await serve()
  const client = server.connect()

  client.send(
    `${FORM}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\na=1\r\n4;x=y\r\n&b=2\r\n0\r\nTrailer: x\r\n\r\n`,
  )

  const [response] = responsesIn(await client.all())
  assert.deepEqual(JSON.parse(response?.body ?? '').body, { a: '1', b: '2' })
})

test('a client that expects 100 Continue gets it, or the refusal of its body', async () => {
  await using server = await serve({ bodyLimit: () => 10 })
  const [small, large] = [server.connect(), server.connect()]

  small.send(`${FORM}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`)
  await small.until('HTTP/1.1 100 Continue\r\n\r\n')
  small.send('a=1')
  large.send(`${FORM}Expect: 100-continue\r\nContent-Length: 30\r\n\r\n`)

  assert.match(await small.until('"body"'), /\r\nHTTP\/1.1 200 OK\r\n/)
  assert.match(await large.until('}\n'), /^HTTP\/1.1 413 /)
  large.socket.end()
  assertRefusal(await large.all(), 413, 'PAYLOAD_TOO_LARGE')
})

test('a body over the limit is refused before it has arrived, and its sender can read the refusal', async () => {
  const limits: string[] = []
  const bodyLimit = (method: string, path: string) => {
    limits.push(`${method} ${path}`)
    return 100_000
  }
  await using server = await serve({ bodyLimit })
  const [announced, chunked] = [server.connect(), server.connect()]

  announced.send(`${FORM}Content-Length: 5000000\r\n\r\na=`)
  await announced.until('}\n')
  announced.send('x'.repeat(4_999_998))
  chunked.send(`${FORM}Transfer-Encoding: chunked\r\n\r\n`)
  for (let count = 0; count < 50; count += 1) chunked.send(`186A0\r\n${'x'.repeat(100_000)}\r\n`)
  chunked.send('0\r\n\r\n')

  assertRefusal(await announced.all(), 413, 'PAYLOAD_TOO_LARGE')
  assertRefusal(await chunked.all(), 413, 'PAYLOAD_TOO_LARGE')
  assert.deepEqual(limits, ['POST /form', 'POST /form'])
})

test('only a small part of a refused body is read', async () => {
  const dispatch = async (request: HttpRequest) => {
    for await (const _piece of request.incomingFiles?.read(100_000) ?? []);
    return echo(request)
  }
  const readsFiles = (_method: string, path: string) => path === '/files'
  await using server = await serve({ bodyLimit: () => 100_000, readsFiles, dispatch })
  const [form, file] = [server.connect(), server.connect()]
  const multipart = 'Content-Type: multipart/form-data; boundary=x\r\n'

  form.send(`${FORM}Content-Length: 50000000\r\n\r\n`)
  file.send(`POST /files HTTP/1.1\r\nHost: localhost\r\n${multipart}Content-Length: 50000000\r\n\r\n`)
  for (const client of [form, file]) client.socket.write(Buffer.alloc(50_000_000))
  for (const client of [form, file]) assertRefusal(await client.until('}\n'), 413, 'PAYLOAD_TOO_LARGE')
  const accepted = [form, file].map(acceptedSocket)
  for (const socket of accepted) if (!socket.closed) await once(socket, 'close')

  for (const { bytesRead } of accepted) assert.ok(bytesRead < 1_000_000, String(bytesRead))
  for (const client of [form, file]) client.socket.destroy()
})

test('1,000 parameters are accepted and one more is refused, in query and body together', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=`).join('&')
  const ask = async (inQuery: number, inBody: number) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return await askEcho({ method: 'POST', url: `/?${many(inQuery)}`, headers, payload: many(inBody) })
  }

  assert.equal((await ask(400, 600)).statusCode, 200)
  for (const response of [await ask(400, 601), await ask(1001, 0), await ask(0, 1001)]) {
    assert.equal(response.statusCode, 400)
    const msg = 'Too many parameters (limit: 1000)'
    assert.deepEqual(response.json(), { result: 'error', msg, code: 'BAD_REQUEST' })
  }
})
