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
  assert.deepEqual(cut([1, 9, 5, 1, 1], 3), { start: 2, end: 5 })
  assert.deepEqual(cut([1, 1, 5, 9, 1], 3), { start: 0, end: 3 })
})

test('one row is kept, however large it is', () => {
  assert.deepEqual(cut([30, 20, 30], 2), { start: 1, end: 2 })
  assert.deepEqual(cut([30, 20, 30], 9), { start: 2, end: 3 })
  assert.deepEqual(cut([30, 20, 30], 0), { start: 0, end: 1 })
})
