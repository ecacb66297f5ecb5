import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeText } from './size-text.ts'

test('sizes are shown in the largest unit, with one digit after the point below ten', () => {
  const sizes = [0, 999, 1000, 1449, 25_400, 9_960_000, 3_200_000_000, 5e13]

  assert.deepEqual(sizes.map(sizeText), [
    '0 bytes',
    '999 bytes',
    '1 kB',
    '1.4 kB',
    '25 kB',
    '10 MB',
    '3.2 GB',
    '50,000 GB',
  ])
})
