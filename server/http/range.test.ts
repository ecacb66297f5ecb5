import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRange } from './responses.ts'

for (const [header, size, expected] of [
  [undefined, 10, 'whole'],
  ['bytes=0-3', 10, { start: 0, end: 4 }],
  ['bytes=4-', 10, { start: 4, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=9-99', 10, { start: 9, end: 10 }],
  ['bytes=10-', 10, null],
  ['bytes=0-', 0, null],
  ['bytes=-0', 10, null],
  ['bytes=-1', 0, null],
  ['bytes=3-2', 10, 'whole'],
  ['bytes=0-1,3-4', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['lines=0-1', 10, 'whole'],
  ['bytes=99999999999999999999-', 10, null],
] as const) {
  test(`of ${size} bytes, ${header} means ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseRange(header, size), expected)
  })
}
