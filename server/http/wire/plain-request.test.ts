import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openParser, type ParsingOptions } from './plain-request.ts'

const HEADERS = ['Host: localhost', 'User-Agent: Bot/1.0', 'Content-Length: 3', 'Content-Type: text/plain']

const toBytes = (firstLine: string, headers: readonly string[], body = '') =>
  Buffer.from(`${[firstLine, ...headers].join('\r\n')}\r\n\r\n${body}`, 'latin1')

const open = (more: Partial<ParsingOptions> = {}) =>
  openParser({ answersInMemory: () => true, readsFiles: () => false, bodyLimit: () => 10_000, ...more })

test('a plain request is parsed, whatever its target and the length of its body', () => {
  const parse = open()

  for (const text of ['abc', 'hello=world', 'abc']) {
    const headers = HEADERS.map((line) => line.replace('3', String(text.length)))
    const request = parse(toBytes('POST //a/%62?c=d HTTP/1.1', headers, text))

    assert.ok(request !== null && request !== 'incomplete')
    const { method, target, body } = request
    assert.deepEqual([method, target.path, target.query, body.toString()], ['POST', '/a/b', 'c=d', text])
    assert.partialDeepStrictEqual(request.headers, { 'user-agent': 'Bot/1.0', host: 'localhost' })
  }
})

test('names of headers are in lower case, and values are as sent', () => {
  const request = open()(toBytes(GET, ['HOST: Example', 'accept: a: b,  c', 'Connection: Keep-Alive']))

  assert.ok(request !== null && request !== 'incomplete')
  assert.deepEqual({ ...request.headers }, { host: 'Example', accept: 'a: b,  c', connection: 'Keep-Alive' })
})

test('a request is incomplete until its whole body has arrived', () => {
  for (const body of ['', 'a', 'ab']) assert.equal(open()(toBytes('POST / HTTP/1.1', HEADERS, body)), 'incomplete')
})

const GET = 'GET /here HTTP/1.1'
const PLAIN = HEADERS.filter((line) => !line.startsWith('Content-Length'))

for (const [what, bytes] of Object.entries({
  'a partial head': toBytes(GET, PLAIN).subarray(0, -2),
  'a head after an empty line': Buffer.concat([Buffer.from('\r\n'), toBytes(GET, PLAIN)]),
  'a head without headers': toBytes(GET, []),
  'a head without Host': toBytes(GET, ['Accept: */*']),
  'a header that occurs twice': toBytes(GET, [...PLAIN, 'host: other']),
  'a header with the name of a method of objects': toBytes(GET, [...PLAIN, 'constructor: x']),
  'a header without a name': toBytes(GET, [...PLAIN, ': x']),
  'a header with a space in its name': toBytes(GET, [...PLAIN, 'Accept : */*']),
  'a header without a colon': toBytes(GET, [...PLAIN, 'Accept']),
  'a header without a space after the colon': toBytes(GET, [...PLAIN, 'Accept:*/*']),
  'a header with two spaces after the colon': toBytes(GET, [...PLAIN, 'Accept:  */*']),
  'a header with a space at the end': toBytes(GET, [...PLAIN, 'Accept: */* ']),
  'a header with a tab': toBytes(GET, [...PLAIN, 'Accept: a\tb']),
  'a header with a line feed': toBytes(GET, [...PLAIN, 'Accept: a\nTransfer-Encoding: chunked']),
  'a header with a carriage return': toBytes(GET, [...PLAIN, 'Accept: a\rb']),
  'a header with a NUL': toBytes(GET, [...PLAIN, 'Accept: a\0b']),
  'a header with a character beyond ASCII': toBytes(GET, [...PLAIN, 'Accept: \u00e4']),
  'a header that continues on the next line': toBytes(GET, [...PLAIN, 'Accept: a', ' b']),
  'a piece with two requests': Buffer.concat([toBytes(GET, PLAIN), toBytes(GET, PLAIN)]),
  'a method whose response has no body': toBytes('HEAD /here HTTP/1.1', PLAIN),
  'another HTTP version': toBytes('GET /here HTTP/1.0', PLAIN),
  'a target with a host': toBytes('GET http://localhost/here HTTP/1.1', PLAIN),
  'a target with unusual characters': toBytes('GET /h"ere HTTP/1.1', PLAIN),
  'a target with a fragment': toBytes('GET /here#there HTTP/1.1', PLAIN),
  'a request line with more words': toBytes('GET /here /there HTTP/1.1', PLAIN),
  'a long target': toBytes(`GET /${'a'.repeat(5000)} HTTP/1.1`, PLAIN),
  'a long header': toBytes(GET, [...PLAIN, `Cookie: ${'c'.repeat(5000)}`]),
})) {
  test(`${what} is left to node:http`, () => {
    assert.equal(open()(bytes), null)
  })
}

for (const line of [
  ...['Connection: close', 'Connection: keep-alive, Upgrade', 'Proxy-Connection: close', 'Set-Cookie: a=b'],
  ...['Transfer-Encoding: chunked', 'transfer-encoding: identity', 'Expect: 100-continue', 'Upgrade: websocket'],
])
  test(`a request with ${line} is left to node:http`, () => {
    assert.equal(open()(toBytes(GET, [...PLAIN, line])), null)
  })

for (const length of ['', ' ', '#', '-3', '+3', '3, 3', '0x3', '3.0', '123456'])
  test(`a request with the length "${length}" is left to node:http, even if its other lines are known`, () => {
    const parse = open()
    assert.notEqual(parse(toBytes('POST / HTTP/1.1', HEADERS, 'abc')), null)
    const headers = HEADERS.map((line) => line.replace('3', length))
    assert.equal(parse(toBytes('POST / HTTP/1.1', headers, 'abc')), null)
  })

test('a body with two lengths, or one that is too long, is left to node:http', () => {
  assert.equal(open({ bodyLimit: () => 2 })(toBytes('POST / HTTP/1.1', HEADERS, 'abc')), null)
  const twice = [...HEADERS, 'Content-Length: 3']
  assert.equal(open()(toBytes('POST / HTTP/1.1', twice, 'abc')), null)
  const long = HEADERS.map((line) => line.replace('3', '20000'))
  assert.equal(open({ bodyLimit: () => 1e6 })(toBytes('POST / HTTP/1.1', long)), null)
})

test('paths with responses from the disk, and endpoints that read files, are left to node:http', () => {
  for (const more of [{ answersInMemory: () => false }, { readsFiles: () => true }])
    assert.equal(open(more)(toBytes(GET, PLAIN)), null)
})

test('requests with the same header lines share their headers until the cache is full', () => {
  const parse = open()
  const headersOf = (cookie: string) => {
    const request = parse(toBytes(GET, [...PLAIN, `Cookie: ${cookie}`]))
    assert.ok(request !== null && request !== 'incomplete')
    return request.headers
  }
  const first = headersOf('first')
  assert.equal(headersOf('first'), first)

  for (let number = 0; number < 3000; number += 1) headersOf(String(number).padEnd(1500, 'c'))

  assert.notEqual(headersOf('first'), first)
})
