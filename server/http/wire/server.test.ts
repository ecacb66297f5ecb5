import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DiskFull } from '#lib/errors.ts'
import { systemRandom } from '#lib/secrets.ts'
import { DatabaseUnavailable } from '#storage/storage.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { received } from '../../../test/http/deferred-server.ts'
import { echo, FORM, GET, responsesIn, serve, usesFastPath } from '../../../test/http/raw-client.ts'
import { inject } from '../../../test/inject.ts'
import type { HttpRequest } from '../http-types.ts'
import { openClientAddress } from './client-address.ts'
import { type HttpServerOptions, openHttpServer } from './server.ts'

function openLoggedServer(options: Partial<HttpServerOptions> = {}) {
  const { log, entries } = collectLog()
  const defaults = { dispatch: echo, log, random: systemRandom, fastPath: usesFastPath() }
  return { ...openHttpServer({ ...defaults, ...options }), entries }
}

test('requests of any HTTP method, and for any path, reach dispatch', async () => {
  await using server = await serve()
  const client = server.connect()

  for (const line of ['PROPFIND /a', 'TRACE /b', 'QUERY /c', 'OPTIONS *', 'GET /%zz%FF', 'GET //'])
    client.send(`${line} HTTP/1.1\r\nHost: LOCALHOST\r\n\r\n`)
  client.send('GET http://Other.example:99?e=f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')

  const said = responsesIn(await client.all()).map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    said.map(({ method, path }) => `${method} ${path}`),
    ['PROPFIND /a', 'TRACE /b', 'QUERY /c', 'OPTIONS *', 'GET /%zz%FF', 'GET /', 'GET /'],
  )
  assert.equal(said[0].host, 'localhost')
  assert.partialDeepStrictEqual(said.at(-1), { host: 'other.example:99', query: { e: 'f' } })
})

test('HEAD and 204 are answered without a body', async () => {
  await using server = await serve({
    dispatch: ({ path }) => ({ status: path === '/nothing' ? 204 : 200, headers: { allow: 'GET' }, body: 'some text' }),
  })
  const client = server.connect()

  client.send('HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  client.send('OPTIONS /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')

  const [head = '', nothing = '', rest] = (await client.all()).split('\r\n\r\n')
  assert.match(head, /^HTTP\/1.1 200 OK\r\n/)
  assert.match(head, /^content-length: 9$/m)
  assert.match(head, /^content-type: application\/json$/m)
  assert.match(nothing, /^HTTP\/1.1 204 No Content\r\n/)
  assert.match(nothing, /^allow: GET$/m)
  assert.doesNotMatch(nothing, /^content-/m)
  assert.equal(rest, '')
})

test('the headers for a path are part of refusals and crashes as well', async () => {
  await using server = await serve({
    dispatch: () => {
      throw new Error('no')
    },
    answersInMemory: () => true,
    headersForPath: (path) => ({ 'x-under': path }),
  })
  const client = server.connect()

  // The second request is read without node:http.
  for (let nth = 1; nth <= 2; nth += 1) {
    client.send('GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n')
    while (((await client.until('}\n')).match(/}\n/g) ?? []).length < nth) await sleep(1)
  }
  client.send('GET /there HTTP/1.1\r\n\r\n')

  assert.deepEqual(
    responsesIn(await client.all()).map(({ status, head }) => [status, /^x-under: (.*)$/m.exec(head)?.[1]]),
    [
      [500, '/here'],
      [500, '/here'],
      [400, '/there'],
    ],
  )
})

test('a response may have another type and a binary body', async () => {
  const bytes = Buffer.from([0, 255, 10])
  const server = openLoggedServer({
    dispatch: () => ({ status: 200, headers: { 'content-type': 'image/png' }, body: bytes }),
  })

  const response = await inject(server, { url: '/' })

  assert.equal(response.headers['content-type'], 'image/png')
  assert.deepEqual(response.rawPayload, bytes)
})

test('pieces of a response form one body', async () => {
  const body = ['{"a"', ':1', '', '}\n'].map((piece) => Buffer.from(piece))
  await using server = await serve({ dispatch: () => ({ status: 200, headers: {}, body }) })
  const client = server.connect()

  client.send('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')

  const [response] = responsesIn(await client.all())
  assert.equal(response?.body, '{"a":1}\n')
})

test('while the database is unavailable the response names the time to retry', async () => {
  const { log, entries, errors } = collectLog()
  const dispatch = () => Promise.reject(new DatabaseUnavailable('connect ECONNREFUSED'))
  await using server = await serve({ dispatch, log })
  const client = server.connect()

  for (let nth = 1; nth <= 2; nth += 1) {
    client.send('GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n')
    while (((await client.until('}\n')).match(/}\n/g) ?? []).length < nth) await sleep(1)
  }
  client.send('GET / HTTP/1.1\r\n\r\n')

  const responses = responsesIn(await client.all()).slice(0, 2)
  for (const { status, head, body } of responses) {
    assert.equal(status, 503)
    assert.match(head, /^retry-after: 2$/m)
    assert.deepEqual(JSON.parse(body), {
      result: 'error',
      msg: 'The server cannot reach its database. Try again later.',
      code: 'SERVICE_UNAVAILABLE',
    })
  }
  assert.equal(responses.length, 2)
  assert.equal(entries.filter(({ reason }) => reason === 'connect ECONNREFUSED').length, 2)
  assert.deepEqual(errors, [])
})

test('a full disk, of the database or of files, is reported to the client', async () => {
  const { log, errors } = collectLog()
  const causes = {
    '/database': new DiskFull('The disk of the database is full'),
    '/file': Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
  }
  const server = openHttpServer({
    dispatch: ({ path }) => Promise.reject(causes[path as keyof typeof causes]),
    log,
    random: systemRandom,
  })

  for (const url of Object.keys(causes)) {
    const { statusCode, headers, body } = await inject(server, { url })
    assert.deepEqual([statusCode, headers['retry-after']], [503, '60'])
    assert.deepEqual(JSON.parse(body), {
      result: 'error',
      msg: "The server's disk is full",
      code: 'SERVICE_UNAVAILABLE',
    })
  }
  assert.deepEqual(
    errors.map(({ reason }) => reason),
    Object.values(causes).map(({ message }) => message),
  )
})

test('an exception in dispatch gets a response without details, and is logged with its cause', async () => {
  const cause = new Error('the secret cause')
  const crashes = {
    '/now': () => {
      throw cause
    },
    '/later': () => Promise.reject(cause),
    '/header': () => ({ status: 200, headers: { 'x-bad': 'line\nbreak' }, body: '' }),
  }
  const server = openLoggedServer({ dispatch: ({ path }) => crashes[path as keyof typeof crashes]() })

  for (const url of Object.keys(crashes)) {
    const response = await inject(server, { url })

    assert.equal(response.statusCode, 500)
    const { request_id, ...said } = response.json()
    assert.deepEqual(said, { result: 'error', msg: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' })
    const [crash, line] = server.entries.splice(0)
    assert.equal(crash?.id, request_id)
    if (url !== '/header') assert.equal(crash?.err, cause)
    assert.partialDeepStrictEqual(line, { id: request_id, path: url, status: 500 })
  }
})

test('a request is logged with method, path and status, without secrets, addresses and names of files in the path', async () => {
  const server = openLoggedServer()

  for (const url of [
    '/api/v1/messages/5?key=QUERY',
    '/join/SECRET/',
    '/%6Aoin/%53ECRET',
    '/accounts/do_confirm/SECRET',
    '/accounts/unsubscribe/SECRET',
    '/accounts/end_mail/SECRET',
    '/accounts/end_digest/SECRET',
    '/user_uploads/temporary/SECRET/name.png',
    '/user_uploads/1/ab/x/SECRET.png',
    '/api/v1/users/SECRET@example.com/presence',
    '/avatar/SECRET%40example.com/medium',
  ])
    await inject(server, { method: 'POST', url, payload: 'password=PASSWORD' })

  const paths = [
    '/api/v1/messages/5',
    '/join/…/',
    '/join/…',
    '/accounts/do_confirm/…',
    '/accounts/unsubscribe/…',
    '/accounts/end_mail/…',
    '/accounts/end_digest/…',
    '/user_uploads/…',
    '/user_uploads/…',
    '/api/v1/users/…/presence',
    '/avatar/…/medium',
  ]
  assert.deepEqual(
    server.entries.map(({ method, path, status }) => ({ method, path, status })),
    paths.map((path) => ({ method: 'POST', path, status: 200 })),
  )
  assert.equal(new Set(server.entries.map(({ id }) => id)).size, paths.length)
  assert.doesNotMatch(JSON.stringify(server.entries), /SECRET|QUERY|PASSWORD/)
})

test('the address is that of the peer, or the one that a trusted proxy names', async () => {
  const addressSeen = async (trustRealIp: boolean) => {
    const dispatch = ({ remoteAddress }: HttpRequest) => ({ status: 200, headers: {}, body: remoteAddress })
    const server = openLoggedServer({
      addressOf: openClientAddress({ TRUST_X_REAL_IP: trustRealIp, TRUSTED_PROXIES: '' }),
      dispatch,
    })
    return (await inject(server, { url: '/', remoteAddress: '10.0.0.1', headers: { 'x-real-ip': '192.0.2.7' } })).body
  }

  assert.equal(await addressSeen(false), '10.0.0.1')
  assert.equal(await addressSeen(true), '192.0.2.7')
})

test('pipelined requests are answered in order, and a malformed one is refused after them', async () => {
  const dispatch = async (request: HttpRequest) => {
    if (request.path === '/slow') await sleep(50)
    return echo(request)
  }
  await using server = await serve({ dispatch })
  const client = server.connect()

  client.send(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${GET}${FORM}Content-Length: 3\r\n\r\na=1what is this?\r\n\r\n`)

  const responses = responsesIn(await client.all())
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 400],
  )
  assert.deepEqual(
    responses.slice(0, 3).map(({ body }) => JSON.parse(body).path),
    ['/slow', '/here', '/form'],
  )
})

test('a client that closes its side after the request still gets the response', async () => {
  const dispatch = async (request: HttpRequest) => {
    await sleep(50)
    return echo(request)
  }
  await using server = await serve({ dispatch })
  const client = server.connect()

  client.socket.end(GET)

  assert.equal(responsesIn(await client.all())[0]?.status, 200)
})

test('HTTP/1.0 needs no host, and its connection closes after the response', async () => {
  await using server = await serve()
  const client = server.connect()

  client.send('GET /old HTTP/1.0\r\n\r\n')

  const [response] = responsesIn(await client.all())
  assert.equal(response?.status, 200)
  assert.partialDeepStrictEqual(JSON.parse(response.body), { path: '/old', host: '' })
})

test('a closing server answers waiting requests, closes idle connections, and accepts no more', {
  timeout: 60_000,
}, async () => {
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const dispatch = async (request: HttpRequest) => {
    if (request.path === '/poll') {
      begun.resolve()
      await held.promise
    }
    return echo(request)
  }
  const rawServer = await serve({ dispatch, onClose: () => held.resolve() })
  const [poller, idler, dawdler] = [rawServer.connect(), rawServer.connect(), rawServer.connect()]
  poller.send('GET /poll HTTP/1.1\r\nHost: localhost\r\n\r\n')
  idler.send(GET)
  await idler.until('/here')
  dawdler.send('GET /half')
  await begun.promise
  await received(dawdler)

  await Promise.all([rawServer.server.close(), rawServer.server.close()])

  const [response] = responsesIn(await poller.all())
  assert.equal(response?.status, 200)
  assert.match(response.head, /^connection: close$/im)
  assert.equal(responsesIn(await idler.all()).length, 1)
  await dawdler.all()
  const late = connect(rawServer.port, '127.0.0.1')
  await assert.rejects(new Promise((resolve, reject) => late.once('connect', resolve).once('error', reject)))
})

test('localhost means both loopback addresses if the machine has both', async () => {
  const server = openLoggedServer()
  const { port, url } = await server.listen({ host: 'localhost', port: 0 })
  const hasBoth = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  )

  for (const host of hasBoth ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'])
    assert.equal((await fetch(`http://${host}:${port}/`)).status, 200)
  assert.equal(url, `http://localhost:${port}`)
  await server.close()
})

test('listening on a port that is in use fails', async () => {
  await using server = await serve()
  const second = openLoggedServer()

  await assert.rejects(second.listen({ host: '127.0.0.1', port: server.port }), { code: 'EADDRINUSE' })
})
