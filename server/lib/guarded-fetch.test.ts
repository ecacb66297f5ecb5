import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { startWebhookReceiver, status, type WebhookReceiver } from '../../test/webhook-receiver.ts'
import { guardedPost, MAX_RESPONSE_SIZE } from './guarded-fetch.ts'
import { type GuardedOptions, mayRedirect } from './guarded-request.ts'

const allowed = { privateHosts: ['127.0.0.0/8'] }

const send = (url: string, options: Partial<GuardedOptions> = {}) =>
  guardedPost(
    { url, headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
    { timeLimit: 60, privateHosts: [], signal: new AbortController().signal, ...options },
  )

/**
 * Returns a resolver and the host names that it was asked for. For each query, the resolver returns the next of
 * `answers`. When none is left, it repeats the last one.
 */
function resolver(...answers: string[][]): { resolve: NonNullable<GuardedOptions['resolve']>; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    resolve(host, _, done) {
      const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
      asked.push(host)
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    },
  }
}

/** Starts a server that writes these bytes to each client, and closes the connection if `ends` is true. */
async function rawServer(bytes: string, ends = true): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => (ends ? socket.end(bytes) : socket.write(bytes)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a body is sent, and any status counts as a response', async () => {
  const receiver = await startWebhookReceiver()
  receiver.behave(status(418, 'tea'))

  const posted = await send(receiver.url, allowed)

  assert.deepEqual(posted, { kind: 'answer', status: 418, contentType: '', body: 'tea', retryAfter: null })
  const [{ headers, body } = assert.fail()] = receiver.received
  assert.equal(body, '{"a":1}')
  assert.equal(headers['content-type'], 'application/json')
})

test('user name and password of the address are sent as they are', async () => {
  const receiver = await startWebhookReceiver()

  await send(receiver.url.replace('//', '//ada:p%C3%A4ss%FF@'), allowed)

  const sent = Buffer.from('ada:p\u00c3\u00a4ss\u00ff', 'latin1').toString('base64')
  assert.equal(receiver.received[0]?.headers.authorization, `Basic ${sent}`)
})

test('addresses of this machine or a private network are never called, in any notation', async () => {
  const receiver = await startWebhookReceiver()
  const { port } = receiver
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '0177.0.0.1', '0.0.0.0', 'localhost', 'LOCALHOST'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[fe80::1]'],
    ...['10.0.0.1', '192.168.0.1', '169.254.169.254', '[fd00::1]'],
  ]

  const posted = await Promise.all(hosts.map((host) => send(`http://${host}:${port}/hook`)))

  assert.deepEqual(
    posted.map(({ kind }, at) => [hosts[at], kind]),
    hosts.map((host) => [host, 'forbidden']),
  )
  assert.deepEqual(receiver.received, [])
})

test('only permitted addresses of a host name are called, and the name is resolved once', async () => {
  const receiver = await startWebhookReceiver()
  const url = `http://bots.example.com:${receiver.port}/hook`
  const options = { privateHosts: ['127.0.0.1'] }
  const rebinding = resolver(['127.0.0.2'], ['127.0.0.1'])
  const mixed = resolver(['10.0.0.1', '::1', '127.0.0.1'])

  const first = await send(url, { ...options, resolve: rebinding.resolve })
  const second = await send(url, { ...options, resolve: mixed.resolve })

  assert.equal(first.kind, 'forbidden')
  assert.deepEqual(rebinding.asked, ['bots.example.com'])
  assert.equal(second.kind, 'answer')
  assert.equal(receiver.received.length, 1)
})

test('a host that is allowed by name may have any address', async () => {
  const receiver = await startWebhookReceiver()
  const { resolve } = resolver(['127.0.0.1'])

  const byName = (name: string) =>
    send(`http://${name}:${receiver.port}/`, { privateHosts: ['bots.internal'], resolve })

  assert.equal((await byName('bots.internal')).kind, 'answer')
  assert.equal((await byName('other.internal')).kind, 'forbidden')
})

async function leadingTo(location: (receiver: WebhookReceiver) => string, code = 307): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver()
  receiver.behave((response, { path }) => {
    if (path === '/there') response.end('{}')
    else response.writeHead(code, { location: location(receiver) }).end()
  })
  return receiver
}

test('a response may redirect to another address with the same body', async () => {
  for (const code of [307, 308]) {
    const receiver = await leadingTo(() => '/there', code)

    assert.partialDeepStrictEqual(await send(receiver.url, allowed), { kind: 'answer', status: 200, body: '{}' })
    assert.deepEqual(
      receiver.received.map(({ path, body }) => [path, body]),
      [
        ['/hook', '{"a":1}'],
        ['/there', '{"a":1}'],
      ],
    )
  }
})

test('redirects to forbidden addresses, to other schemes and in circles are not followed', async () => {
  const options = { privateHosts: ['127.0.0.1'] }
  const inside = await startWebhookReceiver('127.0.0.2')
  const toInside = await leadingTo(() => inside.url)
  const toName = await leadingTo(({ port }) => `http://localhost:${port}/there`)
  const toFile = await leadingTo(() => 'file:///etc/passwd')
  const run = await leadingTo(({ url }) => url)
  const elsewhere = await leadingTo(() => '/there', 302)

  const kinds = []
  for (const { url } of [toInside, toFile, run, elsewhere]) kinds.push((await send(url, options)).kind)
  const { resolve } = resolver(['127.0.0.3'])

  assert.deepEqual(kinds, ['forbidden', 'forbidden', 'unreachable', 'answer'])
  assert.equal((await send(toName.url, { ...options, resolve })).kind, 'forbidden')
  assert.deepEqual(inside.received, [])
  assert.equal(run.received.length, 4)
})

test('a request is aborted if the server does not respond in time, even if it sends single bytes', async () => {
  const silent = await startWebhookReceiver()
  silent.behave(() => {})
  const dripping = await startWebhookReceiver()
  dripping.behave((response) => {
    const drip = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(drip))
  })
  const options = { ...allowed, timeLimit: 0.4 }

  assert.deepEqual(await send(silent.url, options), { kind: 'timeout' })
  assert.deepEqual(await send(dripping.url, options), { kind: 'timeout' })
})

test('an aborted request ends at once', async () => {
  const silent = await startWebhookReceiver()
  const stop = new AbortController()
  silent.behave(() => stop.abort())

  assert.deepEqual(await send(silent.url, { ...allowed, signal: stop.signal }), { kind: 'stopped' })
})

test('a response is read up to the limit', async () => {
  const receiver = await startWebhookReceiver()

  receiver.behave(status(200, 'x'.repeat(MAX_RESPONSE_SIZE)))
  const most = await send(receiver.url, allowed)
  receiver.behave(status(200, 'x'.repeat(MAX_RESPONSE_SIZE + 1)))
  const more = await send(receiver.url, allowed)

  assert.equal(most.kind, 'answer')
  assert.deepEqual(more, { kind: 'too large' })
})

test('a closed port, an unknown name and an invalid HTTP response are all unreachable', async () => {
  const receiver = await startWebhookReceiver()
  const resolve: GuardedOptions['resolve'] = (_, __, done) =>
    done(Object.assign(new Error(), { code: 'ENOTFOUND' }), [])
  const broken = await Promise.all([
    rawServer('SMTP ready\r\n'),
    rawServer(''),
    rawServer('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    rawServer('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', false),
  ])

  const kinds = await Promise.all(broken.map(async (url) => (await send(url, allowed)).kind))
  const unknown = await send(`http://nowhere.example:${receiver.port}/`, { resolve })
  const closed = await send('http://127.0.0.1:1/', allowed)
  const untrusted = await send(receiver.url.replace('http:', 'https:'), allowed)

  assert.deepEqual(kinds, Array(4).fill('unreachable'))
  assert.deepEqual(unknown, { kind: 'unreachable', reason: 'ENOTFOUND' })
  assert.deepEqual(closed, { kind: 'unreachable', reason: 'ECONNREFUSED' })
  assert.equal(untrusted.kind, 'unreachable')
})

test('redirects to https are followed from anywhere, and redirects to http from http only', () => {
  const leads = (from: string, to: string) => mayRedirect(new URL(from), new URL(to))
  const [plain, secure] = ['http://bots.example.com/', 'https://bots.example.com/']

  assert.deepEqual(
    [leads(secure, secure), leads(plain, secure), leads(plain, plain), leads(secure, plain)],
    [true, true, true, false],
  )
  assert.deepEqual([leads(plain, 'ftp://example.com/'), leads(secure, 'file:///etc/passwd')], [false, false])
})
