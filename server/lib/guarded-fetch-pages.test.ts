import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startWebhookReceiver } from '../../test/webhook-receiver.ts'
import { fetchPage, isPlainAddress, MAX_PAGE_SIZE } from './guarded-fetch.ts'
import type { GuardedOptions } from './guarded-request.ts'

const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** Fetches a page from a server on this machine, at any of its addresses. */
const fetchHere = (url: string, options: Partial<GuardedOptions> = {}) =>
  fetchPage(
    url,
    { timeLimit: 60, privateHosts: ['127.0.0.1'], signal: new AbortController().signal, ...options },
    { mayVisit: () => true },
  )

/** Starts a website that answers every request with these headers and this body. */
async function startWebsite(headers: Record<string, string>, body: string | Buffer, status = 200) {
  const website = await startWebhookReceiver()
  website.behave((response) => response.writeHead(status, headers).end(body))
  return website
}

test('a page is fetched without cookies, referrer and credentials', async () => {
  const website = await startWebsite(HTML, '<title>Tea</title>')

  const page = await fetchHere(website.url)

  assert.deepEqual(page, { url: website.url, html: '<title>Tea</title>' })
  const { headers } = website.received[0] ?? assert.fail()
  assert.deepEqual(Object.keys(headers).sort(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
})

test('only http and https with their standard ports are visited, and never with credentials', () => {
  const isPlain = (url: string) => isPlainAddress(new URL(url))

  for (const url of ['http://example.com/', 'https://example.com:443/a', 'http://example.com:80'])
    assert.equal(isPlain(url), true, url)
  for (const url of [
    'ftp://example.com/',
    'file:///etc/passwd',
    'http://example.com:8080/',
    'https://example.com:22/',
    'http://ada@example.com/',
    'http://ada:secret@example.com/',
  ])
    assert.equal(isPlain(url), false, url)
})

test('a page is decoded by its byte order mark, its header, or its own declaration', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<p>Grüße', 'utf16le')])
  const cyrillic = Buffer.concat([Buffer.from('<meta charset="windows-1251"><p>'), Buffer.from([0xcf, 0xf0])])
  const cases: [string, Buffer, string][] = [
    ['text/html', Buffer.from('<p>Grüße'), '<p>Grüße'],
    ['text/html', utf16, '<p>Grüße'],
    ['text/html; charset=ISO-8859-1', Buffer.from('<p>Grüße', 'latin1'), '<p>Grüße'],
    ['application/xhtml+xml', cyrillic, '<meta charset="windows-1251"><p>Пр'],
    ['text/html; charset=klingon', Buffer.from('<p>Grüße'), '<p>Grüße'],
    ['text/html; charset=utf-8', Buffer.from('<p>Gr\xfcn', 'latin1'), '<p>Gr\ufffdn'],
  ]

  for (const [type, body, html] of cases) {
    const website = await startWebsite({ 'content-type': type }, body)
    assert.deepEqual(await fetchHere(website.url), { url: website.url, html }, type)
  }
})

test('errors, other types and compressed pages are not read', async () => {
  const websites = [
    await startWebsite(HTML, '<title>Tea</title>', 404),
    await startWebsite({ 'content-type': 'application/json' }, '{}'),
    await startWebsite({ 'content-type': 'text/htmlx' }, 'x'),
    await startWebsite({}, '<title>Tea</title>'),
    await startWebsite({ ...HTML, 'content-encoding': 'gzip' }, gzipSync('<title>Tea</title>')),
  ]

  for (const { url } of websites) assert.equal(await fetchHere(url), null)
})

test('websites that may have a page later count as unreachable', async () => {
  const unknown: GuardedOptions['resolve'] = (_, __, done) =>
    done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])

  for (const status of [429, 500, 503])
    assert.equal(await fetchHere((await startWebsite(HTML, '<title>Tea</title>', status)).url), 'unreachable')
  assert.equal(await fetchHere('http://127.0.0.1:1/'), 'unreachable')
  assert.equal(await fetchHere('http://tea.example/', { resolve: unknown }), 'unreachable')
})

test('a long page is cut, even if it does not end', async () => {
  const website = await startWebhookReceiver()
  let isClosed = false
  website.behave((response) => {
    response.writeHead(200, HTML).write(`<title>Tea</title>${'x'.repeat(MAX_PAGE_SIZE)}`)
    response.on('close', () => (isClosed = true))
  })

  const page = await fetchHere(website.url)

  assert.equal(page !== 'unreachable' && page?.html.length, MAX_PAGE_SIZE)
  while (!isClosed) await new Promise((wait) => setTimeout(wait, 5))
})

test('a request to a website that responds byte by byte is aborted after the time limit', async () => {
  const website = await startWebhookReceiver()
  website.behave((response) => {
    response.writeHead(200, HTML)
    const drip = setInterval(() => response.write('<'), 20)
    response.on('close', () => clearInterval(drip))
  })

  assert.equal(await fetchHere(website.url, { timeLimit: 0.3 }), 'unreachable')
})

test('three redirects are followed, and none to private addresses, unusual ports or from https to http', async () => {
  const inside = await startWebhookReceiver('127.0.0.2')
  const website = await startWebhookReceiver()
  const leads: Record<string, string> = {
    '/one': '/two',
    '/two': `${website.url}?three`,
    '/hook?three': '/tea',
    '/inside': inside.url,
    '/metadata': 'http://169.254.169.254/latest/meta-data/',
    '/mapped': `http://[::ffff:127.0.0.2]:${inside.port}/`,
    '/file': 'file:///etc/passwd',
    '/many': '/one',
  }
  website.behave((response, { path }) => {
    const location = leads[path]
    if (location === undefined) response.writeHead(200, HTML).end('<title>Tea</title>')
    else response.writeHead(path === '/one' ? 301 : 302, { location }).end()
  })
  const at = (path: string) => website.url.replace('/hook', path)

  assert.deepEqual(await fetchHere(at('/one')), { url: at('/tea'), html: '<title>Tea</title>' })
  for (const path of ['/inside', '/metadata', '/mapped', '/file']) assert.equal(await fetchHere(at(path)), null, path)
  assert.equal(await fetchHere(at('/many')), 'unreachable')
  // The name is permitted by its address alone, so its ports are the standard ones.
  const resolve: GuardedOptions['resolve'] = (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }])
  const options = { timeLimit: 60, privateHosts: ['127.0.0.1'], signal: new AbortController().signal, resolve }
  assert.equal(await fetchPage(at('/tea').replace('127.0.0.1', 'tea.example'), options), null)
  assert.notEqual(await fetchPage(at('/tea'), options), null)
  assert.deepEqual(inside.received, [])
})

test('no address of this machine or a private network is called, whatever name leads to it', async () => {
  const website = await startWebhookReceiver()
  const { port } = website
  const addresses = [
    ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '224.0.0.1', '0.0.0.0'],
    ...['::1', '::', '::ffff:127.0.0.1', '64:ff9b::7f00:1', 'fe80::1', 'fd00::1', 'ff02::1', '2002:7f00:1::'],
  ]
  const leadingTo = (address: string): NonNullable<GuardedOptions['resolve']> => {
    return (_, __, done) => done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  }

  for (const address of addresses) {
    const literal = address.includes(':') ? `[${address}]` : address
    const options = { privateHosts: [], resolve: leadingTo(address) }
    assert.equal(await fetchHere(`http://${literal}:${port}/hook`, options), null, address)
    assert.equal(await fetchHere(`http://tea.example:${port}/hook`, options), null, address)
  }
  assert.deepEqual(website.received, [])
})
