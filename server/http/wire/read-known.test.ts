import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { openKnownHeads } from './known-heads.ts'
import { type Reader, readKnown } from './read-known.ts'

const HEADERS = ['Host: localhost', 'User-Agent: Bot/1.0', 'Content-Length: 3', 'Content-Type: text/plain']

const toBytes = (firstLine: string, headers: readonly string[], body = '') =>
  Buffer.from(`${[firstLine, ...headers].join('\r\n')}\r\n\r\n${body}`)

/** A request with these header lines, as node:http has read it. */
function readByNode(headers: readonly string[], httpVersion = '1.1'): IncomingMessage {
  const pairs = headers.map((line) => line.split(': ') as [string, string])
  const byName = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]))
  return { httpVersion, rawHeaders: pairs.flat(), headers: byName } as never
}

/** One that has read a request with these lines. */
function readerThatKnows(headers: readonly string[], more: Partial<Reader> = {}): Reader {
  const heads = openKnownHeads()
  heads.learn(readByNode(headers))
  return { heads, answersWhole: () => true, readsFiles: () => false, bodyLimit: () => 10_000, ...more }
}

test('a request in known lines is read, whatever its target, and however long its body', () => {
  const reader = readerThatKnows(HEADERS)
  const longer = HEADERS.map((line) => line.replace('3', '11'))

  const known = readKnown(reader, toBytes('POST //a/%62?c=d HTTP/1.1', longer, 'hello=world'))

  assert.ok(known !== null && known !== 'incomplete')
  const { method, path, query, headers, bytes } = known
  assert.deepEqual([method, path, query, bytes.toString()], ['POST', '/a/b', 'c=d', 'hello=world'])
  assert.partialDeepStrictEqual(headers, { 'user-agent': 'Bot/1.0', host: 'localhost' })
})

test('a body that has not come whole is waited for', () => {
  const reader = readerThatKnows(HEADERS)
  for (const body of ['', 'a', 'ab'])
    assert.equal(readKnown(reader, toBytes('POST / HTTP/1.1', HEADERS, body)), 'incomplete')
})

const GET = 'GET /here HTTP/1.1'
const PLAIN = HEADERS.filter((line) => !line.startsWith('Content-Length'))

for (const [what, bytes] of Object.entries({
  'half a head': toBytes(GET, PLAIN).subarray(0, -2),
  'lines that are not known': toBytes(GET, [...PLAIN, 'Accept: */*']),
  'lines in another order': toBytes(GET, PLAIN.toReversed()),
  'lines in another case': toBytes(
    GET,
    PLAIN.map((line) => line.toLowerCase()),
  ),
  'a length where none was known': toBytes(GET, HEADERS, 'abc'),
  'a head behind an empty line': Buffer.concat([Buffer.from('\r\n'), toBytes(GET, PLAIN)]),
  'two requests': Buffer.concat([toBytes(GET, PLAIN), toBytes(GET, PLAIN)]),
  'a method without a body in its answer': toBytes('HEAD /here HTTP/1.1', PLAIN),
  'another version': toBytes('GET /here HTTP/1.0', PLAIN),
  'a target with a host': toBytes('GET http://localhost/here HTTP/1.1', PLAIN),
  'a target with odd characters': toBytes('GET /h"ere HTTP/1.1', PLAIN),
  'a target with a fragment': toBytes('GET /here#there HTTP/1.1', PLAIN),
  'a line with more words': toBytes('GET /here /there HTTP/1.1', PLAIN),
  'a long target': toBytes(`GET /${'a'.repeat(5000)} HTTP/1.1`, PLAIN),
})) {
  test(`${what} is left to node:http`, () => {
    assert.equal(readKnown(readerThatKnows(PLAIN), bytes), null)
  })
}

test('lines that are known with a length are not without its number', () => {
  const empty = HEADERS.map((line) => line.replace('3', ''))
  assert.equal(readKnown(readerThatKnows(HEADERS), toBytes('POST / HTTP/1.1', empty)), null)
})

test('a body that says its length twice, or is too long, is left to node:http', () => {
  const reader = readerThatKnows(HEADERS, { bodyLimit: () => 2 })
  assert.equal(readKnown(reader, toBytes('POST / HTTP/1.1', HEADERS, 'abc')), null)
  const twice = [...HEADERS, 'Content-Length: 3']
  assert.equal(readKnown(readerThatKnows(HEADERS), toBytes('POST / HTTP/1.1', twice, 'abc')), null)
  const long = HEADERS.map((line) => line.replace('3', '20000'))
  assert.equal(readKnown(readerThatKnows(HEADERS, { bodyLimit: () => 1e6 }), toBytes('POST / HTTP/1.1', long)), null)
})

test('paths with answers from the disk, and those whose endpoints read files, are left to node:http', () => {
  for (const more of [{ answersWhole: () => false }, { readsFiles: () => true }])
    assert.equal(readKnown(readerThatKnows(PLAIN, more), toBytes(GET, PLAIN)), null)
})

for (const [what, line, version] of [
  ['whose connection ends', 'Connection: close', '1.1'],
  ['whose connection ends as some proxies say it', 'Proxy-Connection: close', '1.1'],
  ['of HTTP/1.0', 'Connection: keep-alive', '1.0'],
  ['with a body in chunks', 'Transfer-Encoding: chunked', '1.1'],
  ['that waits for a word before its body', 'Expect: 100-continue', '1.1'],
  ['that asks for another protocol', 'Upgrade: websocket', '1.1'],
  ['with very long lines', `Cookie: ${'c'.repeat(3000)}`, '1.1'],
] as const) {
  test(`a request ${what} is not learnt from`, () => {
    const heads = openKnownHeads()
    const request = readByNode([...PLAIN, line], version)
    assert.deepEqual([heads.learn(request), heads.learn(request)], [false, false])
  })
}

test('of many lines those that come again are remembered', () => {
  const heads = openKnownHeads()
  const cookie = (number: number) => [...PLAIN, `Cookie: ${String(number).padEnd(1500, 'c')}`]
  for (let number = 0; number < 5000; number += 1) {
    heads.learn(readByNode(cookie(number)))
    heads.learn(readByNode(PLAIN))
  }

  assert.deepEqual(
    [PLAIN, cookie(4999), cookie(0)].map((lines) => heads.learn(readByNode(lines))),
    [true, true, false],
  )
})

test('short lines take their share of the memory', () => {
  const heads = openKnownHeads()
  const learn = (number: number) => heads.learn(readByNode([`Host: ${number}`]))
  for (let number = 0; number < 120_000; number += 1) learn(number)

  assert.deepEqual([learn(119_999), learn(0)], [true, false])
})
