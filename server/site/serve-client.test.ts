import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { openBrowser, signIn } from '../../test/browser.ts'
import { startChat } from '../../test/harness.ts'
import { temporaryFolder } from '../../test/storage.ts'

const SCRIPT = 'console.log("hello")'

/** Starts a chat with a built web client, and logs a user in with a browser. */
async function startBuilt() {
  const folder = await temporaryFolder()
  const dist = join(folder, 'dist')
  await mkdir(join(dist, 'assets'), { recursive: true })
  await writeFile(join(folder, 'secret.js'), 'a secret')
  await writeFile(join(dist, 'index.html'), '<!doctype html>\n<html>\n<head>\n<title>Parley</title>\n</head></html>')
  await writeFile(join(dist, 'assets/main-abc123.js'), SCRIPT)
  await writeFile(join(dist, 'assets/main-abc123.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(dist, 'assets/main-abc123.js.gz'), gzipSync(SCRIPT))
  await writeFile(join(dist, 'assets/icon-1.svg'), '<svg/>')
  await writeFile(join(dist, 'service-worker.js'), SCRIPT)
  await writeFile(join(dist, 'assets/notes.txt'), 'no type of the client')
  const chat = await startChat({ webClient: dist })
  const ada = await chat.user('ada')
  const browser = await signIn(chat, ada)
  const get = (path: string, headers: Record<string, string> = {}) =>
    chat.request({ method: 'GET', path, headers: { host: 'parley.test', ...headers } })
  return { chat, ada, browser, get }
}

test('logged-in users get the client at any of its addresses, with their CSRF token', async () => {
  const { browser } = await startBuilt()

  const [home, deep] = [await browser.open('/'), await browser.open('/channels/5/general?x=1')]

  for (const { status, headers, body } of [home, deep]) {
    assert.equal(status, 200)
    assert.match(
      body,
      /^<!doctype html>\n<html>\n<head>\n<meta name="csrf-token" content="[\w-]{43}">\n<meta name="user-id" content="\d+">\n<meta name="settings-version" content="[\da-f]{16}">\n<title>/,
    )
    assert.equal(headers['cache-control'], 'private, no-store')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self';/)
    assert.match(policy, /require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe/)
  }
  assert.equal((await browser.call('PATCH /settings', { full_name: 'Augusta' })).status, 200)
})

test('the client learns whether the settings of the server have changed', async () => {
  const { chat, browser } = await startBuilt()
  const version = async () => /settings-version" content="(\w+)"/.exec((await browser.open('/')).body)?.[1]

  const [before, same] = [await version(), await version()]
  chat.settings.GIPHY_API_KEY = 'key'
  const after = await version()

  assert.equal(same, before)
  assert.notEqual(after, before)
})

test('the client has the theme of the user', async () => {
  const { ada, browser } = await startBuilt()
  await ada.succeed('PATCH /settings', { color_scheme: 2 })

  const { body } = await browser.open('/')

  assert.match(body, /^<!doctype html>\n<html data-theme="dark">\n<head>/)
})

test('users who are not logged in are redirected to the login page, and programs get 404', async () => {
  const { chat, get } = await startBuilt()

  const asked = await openBrowser(chat).open('/channels/5')
  const program = await get('/channels/5')

  assert.equal(asked.path, '/login/?next=%2Fchannels%2F5')
  assert.deepEqual([program.status, JSON.parse(program.body).code], [404, 'NOT_FOUND'])
  assert.equal((await get('/')).headers['location'], '/login/')
})

test('unknown paths outside the client are not found', async () => {
  const { browser } = await startBuilt()

  for (const path of ['/static/nothing.css', '/assets/nothing.js', '/accounts/nothing/', '/join/', '/testing/clock']) {
    const { status, text } = await browser.open(path)
    assert.equal(status, 404, path)
    assert.match(text, /Page not found/)
  }
  assert.equal((await browser.open('/api/v1/nothing')).status, 404)
})

test('assets are cached forever, and compressed for clients that accept it', async () => {
  const { get } = await startBuilt()
  const path = '/assets/main-abc123.js'

  const plain = await get(path)
  const brotli = await get(path, { 'accept-encoding': 'gzip, br' })
  const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' })
  const icon = await get('/assets/icon-1.svg', { 'accept-encoding': 'br' })

  assert.deepEqual([plain.status, plain.body], [200, SCRIPT])
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.match(String(plain.headers['cache-control']), /max-age=31536000, immutable/)
  assert.deepEqual([brotli.headers['content-encoding'], brotli.bytes], ['br', brotliCompressSync(SCRIPT)])
  assert.deepEqual([gzip.headers['content-encoding'], gzip.headers['vary']], ['gzip', 'accept-encoding'])
  assert.deepEqual([icon.body, icon.headers['content-encoding']], ['<svg/>', undefined])
})

test('the manifest is never cached, and names the organization and a large icon', async () => {
  const { get } = await startBuilt()

  const worker = await get('/service-worker.js')
  const manifest = await get('/manifest.webmanifest')
  const { id, name, short_name, start_url, display, icons } = JSON.parse(manifest.body)
  const icon = await get(icons[0].src)

  assert.deepEqual([worker.status, worker.body], [200, SCRIPT])
  assert.equal(worker.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(
    worker.headers['content-security-policy'],
    "default-src 'none'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
  assert.deepEqual([worker.headers['cache-control'], manifest.headers['cache-control']], ['no-cache', 'no-cache'])
  assert.equal(manifest.headers['content-type'], 'application/manifest+json')
  assert.deepEqual([id, name, short_name, start_url, display], ['/', 'Example – Parley', 'Example', '/', 'standalone'])
  assert.equal(icons[0].sizes, `${icon.bytes.readUInt32BE(16)}x${icon.bytes.readUInt32BE(20)}`)
  assert.equal((await get('/manifest.webmanifest', { host: 'nobody.parley.test' })).status, 404)
})

test('files outside the assets are never served', async () => {
  const { chat } = await startBuilt()
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const names = [
    '../index.html',
    '..%2f..%2fsecret.js',
    '%2e%2e/secret.js',
    '../../secret.js',
    '..',
    '.js',
    'notes.txt',
  ]

  for (const name of [...names, 'main-abc123.js.br', '%00.js', '../assets/main-abc123.js', 'main-abc123.js/']) {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
    // Unlike other clients, this function leaves the path as it is.
    request({ host: '127.0.0.1', port, path: `/assets/${name}` }, resolve).end()
    const response = await promise
    response.resume()
    assert.equal(response.statusCode, 404, name)
  }
})
