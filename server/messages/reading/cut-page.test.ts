import assert from 'node:assert/strict'
import test from 'node:test'
import { cutRows } from './cut-page.ts'

const cut = (sizes: readonly number[], anchor: number, most = 10) =>
  cutRows(
    sizes.map((_, index) => index + 1),
    sizes,
    { anchor, most },
  )

test('rows that fit are all kept', () => {
  assert.deepEqual(cut([2, 2, 2, 2, 2], 3), { start: 0, end: 5 })
  assert.deepEqual(cut([], 3), { start: 0, end: 0 })
})

test('the rows next to the anchor are kept, on both of its sides', () => {
  assert.deepEqual(cut([3, 3, 3, 3, 3], 3), { start: 1, end: 4 })
  assert.deepEqual(cut([3, 3, 3, 3, 3], 9), { start: 2, end: 5 })
  assert.deepEqual(cut([3, 3, 3, 3, 3], 0), { start: 0, end: 3 })
})

test('behind a row that does not fit no further one is kept', () => {
  assert.deepEqual(cut([1, 9, 1, 4, 1, 1], 4), { start: 2, end: 6 })
  assert.deepEqual(cut([1, 1, 4, 1, 9, 1], 3), { start: 0, end: 4 })
})

test('the row of the anchor and its neighbours are kept, however large they are', () => {
  assert.deepEqual(cut([40, 30, 20, 30, 40], 3), { start: 1, end: 4 })
  assert.deepEqual(cut([30, 20, 30], 3), { start: 1, end: 3 })
  assert.deepEqual(cut([30, 20, 30], 9), { start: 2, end: 3 })
  assert.deepEqual(cut([30, 20, 30], 0), { start: 0, end: 1 })
})
