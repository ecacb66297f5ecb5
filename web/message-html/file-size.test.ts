import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileSizeText } from './media-files.ts'

test('sizes of files have the unit that makes them short', () => {
  assert.deepEqual([1, 312, 1234, 56_700, 999_600, 12_345_678, 3_200_000_000].map(fileSizeText), [
    '1 byte',
    '312 bytes',
    '1.2 kB',
    '57 kB',
    '1 MB',
    '12 MB',
    '3.2 GB',
  ])
})
