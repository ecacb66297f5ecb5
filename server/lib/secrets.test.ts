import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from './secrets.ts'

test('any number of bytes can be drawn, and no bytes repeat', () => {
  const counts = [0, 1, 20, 32, 4000, 4096, 5000, 20, 100_000]

  const drawn = counts.map((count) => systemRandom.bytes(count))

  assert.deepEqual(
    drawn.map((bytes) => bytes.length),
    counts,
  )
  const pieces = drawn.flatMap((bytes) => bytes.toString('hex').match(/.{32}/g) ?? [])
  assert.equal(new Set(pieces).size, pieces.length)
})

test('drawn bytes do not change while more are drawn', () => {
  const first = systemRandom.bytes(20)
  const before = first.toString('hex')

  for (let draw = 0; draw < 1000; draw += 1) systemRandom.bytes(20)

  assert.equal(first.toString('hex'), before)
})
