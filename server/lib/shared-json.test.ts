import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type SharedJson, SharedMembers, toBytes, toGzip, toText } from './shared-json.ts'

const list = (from: number) => new SharedMembers(Array.from({ length: 300 }, (_, at) => `"${from + at}":"ü"`).join())

const around = (...members: SharedMembers[]): SharedJson => ['{"a":{', members, '},"é":1}']

/** Requests a gzip file three times. After that, the members of the JSON are compressed. */
function askOften(json: SharedJson): void {
  for (let time = 1; time <= 3; time += 1) assert.equal(toGzip(json), null)
}

const unpacked = (json: SharedJson) => gunzipSync(toGzip(json) ?? assert.fail('It is not compressed')).toString()

test('text, bytes and gzip have the same content, whichever members come first', () => {
  const [one, other] = [list(1000), list(5000)]
  askOften(around(one))
  askOften(around(other))
  for (const members of [[one], [other], [one, other], [other, one], [one, one]]) {
    const json = around(...members)

    const text = `{"a":{${members.map((each) => each.text).join(',')}},"é":1}`
    assert.deepEqual([toText(json), Buffer.concat(toBytes(json)).toString(), unpacked(json)], [text, text, text])
  }
  assert.equal(toText(around()), '{"a":{},"é":1}')
  assert.equal(Buffer.concat(toBytes(around())).toString(), '{"a":{},"é":1}')
})

test('members that are rarely requested are not compressed, and frequently requested ones are compressed once', () => {
  const [known, fresh] = [list(1000), list(5000)]

  askOften(around(known))
  assert.equal(toGzip(around(fresh)), null)
  assert.equal(unpacked(around(known)), toText(around(known)))
  assert.equal(known.gzipPart(true), known.gzipPart(true))
  assert.equal(known.gzipPart(false), known.gzipPart(false))
  const mixed = around(fresh, known, known, known, known)
  assert.equal(unpacked(mixed), toText(mixed))
})

test('all recipients share the same bytes', () => {
  const one = list(1000)

  assert.equal(toBytes(around(list(1), one))[2], toBytes(around(list(2), one))[2])
})
