import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { smallPng } from '../../test/pictures.ts'
import { startWebhookReceiver, status } from '../../test/webhook-receiver.ts'
import { fetchMedia, MAX_MEDIA_SIZE } from './guarded-fetch.ts'
import type { GuardedOptions } from './guarded-request.ts'

const PNG = { 'content-type': 'image/png' }

/** Fetches from a server on this machine. All ports are allowed, because its port is not a standard port. */
const fetchHere = (url: string, options: Partial<GuardedOptions> = {}) =>
  fetchMedia(
    url,
    { timeLimit: 60, privateHosts: ['127.0.0.1'], signal: new AbortController().signal, ...options },
    () => true,
  )

async function startWebsite(headers: Record<string, string>, body: Buffer | string) {
  const website = await startWebhookReceiver()
  website.behave((response) => response.writeHead(200, headers).end(body))
  return website
}

test('a picture is fetched without cookies, referrer and credentials, and after redirects', async () => {
  const website = await startWebhookReceiver()
  website.behave((response, { path }) =>
    path === '/hook' ? status(302, '', { location: '/cat' })(response) : response.writeHead(200, PNG).end(smallPng),
  )

  const bytes = await fetchHere(website.url)

  assert.deepEqual(bytes, smallPng)
  for (const { headers } of website.received)
    assert.deepEqual(Object.keys(headers).sort(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
})

test('pages, scripts, vector graphics of other types, compressed files and errors are not read', async () => {
  const missing = await startWebhookReceiver()
  missing.behave(status(404, 'nothing', PNG))
  const websites = [
    await startWebsite({ 'content-type': 'text/html' }, smallPng),
    await startWebsite({ 'content-type': 'application/javascript' }, smallPng),
    await startWebsite({ ...PNG, 'content-encoding': 'gzip' }, gzipSync(smallPng)),
    missing,
  ]

  for (const { url } of websites) assert.equal(await fetchHere(url), null)
})

test('a file that is too large is refused, whether it says so or not', async () => {
  const announced = await startWebhookReceiver()
  announced.behave((response) =>
    response.writeHead(200, { ...PNG, 'content-length': MAX_MEDIA_SIZE + 1 }).flushHeaders(),
  )
  const endless = await startWebhookReceiver()
  let sent = 0
  endless.behave((response) => {
    response.writeHead(200, PNG)
    const piece = Buffer.alloc(256 * 1024)
    const send = () => {
      if (response.destroyed || sent > 4 * MAX_MEDIA_SIZE) return
      sent += piece.length
      response.write(piece, () => setImmediate(send))
    }
    send()
  })

  assert.equal(await fetchHere(announced.url), null)
  assert.equal(await fetchHere(endless.url), null)
  assert.ok(sent < 4 * MAX_MEDIA_SIZE, String(sent))
})

test('a slow site, an unreachable one and an overloaded one may be tried again later', async () => {
  const silent = await startWebhookReceiver()
  silent.behave(() => {})
  const dripping = await startWebhookReceiver()
  dripping.behave((response) => response.writeHead(200, PNG).write(smallPng.subarray(0, 20)))
  const busy = await startWebhookReceiver()
  busy.behave(status(503))

  for (const { url } of [silent, dripping]) assert.equal(await fetchHere(url, { timeLimit: 0.2 }), 'unreachable')
  assert.equal(await fetchHere(busy.url), 'unreachable')
  assert.equal(await fetchHere('http://127.0.0.1:1/'), 'unreachable')
})

test('endless redirects, and redirects to private networks and other schemes, end the request', async () => {
  const loop = await startWebhookReceiver()
  loop.behave(status(302, '', { location: '/again' }))
  assert.equal(await fetchHere(loop.url), 'unreachable')
  assert.ok(loop.received.length <= 4)

  for (const location of [
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
  ]) {
    const sly = await startWebhookReceiver()
    sly.behave(status(302, '', { location }))
    assert.equal(await fetchHere(sly.url), null, location)
  }
})

test('private networks are never reached, by address or by name', async () => {
  const website = await startWebsite(PNG, smallPng)
  const options: GuardedOptions = { timeLimit: 60, privateHosts: [], signal: new AbortController().signal }
  const resolve: GuardedOptions['resolve'] = (_host, _options, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])

  assert.equal(await fetchMedia(website.url, options, () => true), null)
  assert.equal(await fetchMedia(`http://pictures.example:${website.port}/`, { ...options, resolve }, () => true), null)
  assert.equal(await fetchMedia('http://127.0.0.1/', options), null)
  assert.deepEqual(website.received, [])
})
