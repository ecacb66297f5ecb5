import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { fc } from '../../test/fast-check.ts'
import { deflatePart, type GzipPart, gzipFile, joinParts, storePart } from './gzip.ts'

const text = fc.oneof(
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.integer({ min: 65_534, max: 140_000 }).map((length) => Buffer.alloc(length, 'abcde')) },
)

const part = fc.tuple(text, fc.constantFrom(storePart, deflatePart))

test('parts in any order make a gzip file that unpacks to their contents', () => {
  const property = fc.property(fc.array(part, { maxLength: 12 }), (given) => {
    const parts = given.map(([bytes, pack]) => pack(bytes))
    const whole = Buffer.concat(given.map(([bytes]) => bytes))
    const [first, ...rest] = parts

    assert.deepEqual(gunzipSync(Buffer.concat(gzipFile(parts))), whole)
    if (first === undefined) return
    const one = rest.reduce<GzipPart>(joinParts, first)
    assert.deepEqual(gunzipSync(Buffer.concat(gzipFile([one, one]))), Buffer.concat([whole, whole]))
  })
  fc.assert(property, { seed: 15, numRuns: 150 })
})

const packedLength = ({ pieces }: GzipPart) => Buffer.concat(pieces).length

test('a deflated part is shorter than its text, and a stored part is hardly longer', () => {
  const bytes = Buffer.from('a line of a log, again and again; '.repeat(4000))

  assert(packedLength(deflatePart(bytes)) < bytes.length / 50)
  assert.equal(packedLength(storePart(bytes)), bytes.length + 3 * 5)
})
