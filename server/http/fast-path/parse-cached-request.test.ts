import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { openHeaderCache, type ParsingOptions, parseCachedRequest } from './parse-cached-request.ts'

const HEADERS = ['Host: localhost', 'User-Agent: Bot/1.0', 'Content-Length: 3', 'Content-Type: text/plain']

const toBytes = (firstLine: string, headers: readonly string[], body = '') =>
  Buffer.from(`${[firstLine, ...headers].join('\r\n')}\r\n\r\n${body}`)

/** Returns a request with these header lines as node:http parses it. */
function parsedByNode(headers: readonly string[], httpVersion = '1.1'): IncomingMessage {
  const pairs = headers.map((line) => line.split(': ') as [string, string])
  const byName = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
  return { httpVersion, rawHeaders: pairs.flat(), headers: byName } as never
}

/** Returns options with a cache that contains these header lines. */
function withCached(headers: readonly string[], more: Partial<ParsingOptions> = {}): ParsingOptions {
  const cache = openHeaderCache()
  cache.learn(parsedByNode(headers))
  return { cache, answersInMemory: () => true, readsFiles: () => false, bodyLimit: () => 10_000, ...more }
}

test('a request with cached header lines is parsed, whatever its target and the length of its body', () => {
  const options = withCached(HEADERS)
  const longer = HEADERS.map((line) => line.replace('3', '11'))

  const request = parseCachedRequest(options, toBytes('POST //a/%62?c=d HTTP/1.1', longer, 'hello=world'))

  assert.ok(request !== null && request !== 'incomplete')
  const { method, path, query, headers, body } = request
  assert.deepEqual([method, path, query, body.toString()], ['POST', '/a/b', 'c=d', 'hello=world'])
  assert.partialDeepStrictEqual(headers, { 'user-agent': 'Bot/1.0', host: 'localhost' })
})

test('a request is incomplete until its whole body has arrived', () => {
  const options = withCached(HEADERS)
  for (const body of ['', 'a', 'ab'])
    assert.equal(parseCachedRequest(options, toBytes('POST / HTTP/1.1', HEADERS, body)), 'incomplete')
})

const GET = 'GET /here HTTP/1.1'
const PLAIN = HEADERS.filter((line) => !line.startsWith('Content-Length'))

for (const [what, bytes] of Object.entries({
  'a partial head': toBytes(GET, PLAIN).subarray(0, -2),
  'a head with an unknown line': toBytes(GET, [...PLAIN, 'Accept: */*']),
  'a head with lines in another order': toBytes(GET, PLAIN.toReversed()),
  'a head with lines in another case': toBytes(
    GET,
    PLAIN.map((line) => line.toLowerCase()),
  ),
  'a length if the cached lines had none': toBytes(GET, HEADERS, 'abc'),
  'a head after an empty line': Buffer.concat([Buffer.from('\r\n'), toBytes(GET, PLAIN)]),
  'a piece with two requests': Buffer.concat([toBytes(GET, PLAIN), toBytes(GET, PLAIN)]),
  'a method whose response has no body': toBytes('HEAD /here HTTP/1.1', PLAIN),
  'another HTTP version': toBytes('GET /here HTTP/1.0', PLAIN),
  'a target with a host': toBytes('GET http://localhost/here HTTP/1.1', PLAIN),
  'a target with unusual characters': toBytes('GET /h"ere HTTP/1.1', PLAIN),
  'a target with a fragment': toBytes('GET /here#there HTTP/1.1', PLAIN),
  'a request line with more words': toBytes('GET /here /there HTTP/1.1', PLAIN),
  'a long target': toBytes(`GET /${'a'.repeat(5000)} HTTP/1.1`, PLAIN),
})) {
  test(`${what} is left to node:http`, () => {
    assert.equal(parseCachedRequest(withCached(PLAIN), bytes), null)
  })
}

test('a Content-Length without a number does not match cached lines with one', () => {
  const empty = HEADERS.map((line) => line.replace('3', ''))
  assert.equal(parseCachedRequest(withCached(HEADERS), toBytes('POST / HTTP/1.1', empty)), null)
})

test('a body with two lengths, or one that is too long, is left to node:http', () => {
  const options = withCached(HEADERS, { bodyLimit: () => 2 })
  assert.equal(parseCachedRequest(options, toBytes('POST / HTTP/1.1', HEADERS, 'abc')), null)
  const twice = [...HEADERS, 'Content-Length: 3']
  assert.equal(parseCachedRequest(withCached(HEADERS), toBytes('POST / HTTP/1.1', twice, 'abc')), null)
  const long = HEADERS.map((line) => line.replace('3', '20000'))
  const generous = withCached(HEADERS, { bodyLimit: () => 1e6 })
  assert.equal(parseCachedRequest(generous, toBytes('POST / HTTP/1.1', long)), null)
})

test('paths with responses from the disk, and endpoints that read files, are left to node:http', () => {
  for (const more of [{ answersInMemory: () => false }, { readsFiles: () => true }])
    assert.equal(parseCachedRequest(withCached(PLAIN, more), toBytes(GET, PLAIN)), null)
})

for (const [what, line, version] of [
  ['that closes its connection', 'Connection: close', '1.1'],
  ['that closes its connection with Proxy-Connection', 'Proxy-Connection: close', '1.1'],
  ['of HTTP/1.0', 'Connection: keep-alive', '1.0'],
  ['with a chunked body', 'Transfer-Encoding: chunked', '1.1'],
  ['that expects 100 Continue', 'Expect: 100-continue', '1.1'],
  ['that asks for another protocol', 'Upgrade: websocket', '1.1'],
  ['with very long header lines', `Cookie: ${'c'.repeat(3000)}`, '1.1'],
] as const) {
  test(`the headers of a request ${what} are not cached`, () => {
    const cache = openHeaderCache()
    const request = parsedByNode([...PLAIN, line], version)
    assert.deepEqual([cache.learn(request), cache.learn(request)], [false, false])
  })
}

test('a full cache keeps the header lines that are used again', () => {
  const cache = openHeaderCache()
  const cookie = (number: number) => [...PLAIN, `Cookie: ${String(number).padEnd(1500, 'c')}`]
  for (let number = 0; number < 5000; number += 1) {
    cache.learn(parsedByNode(cookie(number)))
    cache.learn(parsedByNode(PLAIN))
  }

  assert.deepEqual(
    [PLAIN, cookie(4999), cookie(0)].map((lines) => cache.learn(parsedByNode(lines))),
    [true, true, false],
  )
})

test('short header lines count toward the size of the cache with the memory that they take', () => {
  const cache = openHeaderCache()
  const learn = (number: number) => cache.learn(parsedByNode([`Host: ${number}`]))
  for (let number = 0; number < 120_000; number += 1) learn(number)

  assert.deepEqual([learn(119_999), learn(0)], [true, false])
})
