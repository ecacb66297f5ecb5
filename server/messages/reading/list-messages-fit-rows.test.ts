import assert from 'node:assert/strict'
import test from 'node:test'
import { fitRows } from './list-messages.ts'

const fitWithin = (sizes: readonly number[], anchor: number, maxSize = 10) =>
  fitRows(
    sizes.map((_, index) => index + 1),
    sizes,
    { anchor, maxSize },
  )

test('all rows are included if they fit', () => {
  assert.deepEqual(fitWithin([2, 2, 2, 2, 2], 3), { start: 0, end: 5 })
  assert.deepEqual(fitWithin([], 3), { start: 0, end: 0 })
})

test('the rows next to the anchor are included on both sides', () => {
  assert.deepEqual(fitWithin([3, 3, 3, 3, 3], 3), { start: 1, end: 4 })
  assert.deepEqual(fitWithin([3, 3, 3, 3, 3], 9), { start: 2, end: 5 })
  assert.deepEqual(fitWithin([3, 3, 3, 3, 3], 0), { start: 0, end: 3 })
})

test('no row beyond one that does not fit is included', () => {
  assert.deepEqual(fitWithin([1, 9, 1, 4, 1, 1], 4), { start: 2, end: 6 })
  assert.deepEqual(fitWithin([1, 1, 4, 1, 9, 1], 3), { start: 0, end: 4 })
})

test("the anchor's row and its neighbors are included, however large they are", () => {
  assert.deepEqual(fitWithin([40, 30, 20, 30, 40], 3), { start: 1, end: 4 })
  assert.deepEqual(fitWithin([30, 20, 30], 3), { start: 1, end: 3 })
  assert.deepEqual(fitWithin([30, 20, 30], 9), { start: 2, end: 3 })
  assert.deepEqual(fitWithin([30, 20, 30], 0), { start: 0, end: 1 })
})
