import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFile } from './message-text.ts'

test('a file stands on a line of its own, by a name that ends no link', () => {
  assert.equal(withFile('', 'a.png', '/f/a.png'), '[a.png](/f/a.png)')
  assert.equal(withFile('See', 'a.png', '/f/a.png'), 'See\n[a.png](/f/a.png)')
  assert.equal(withFile('See\n', 'a[1].png', '/f/a.png'), 'See\n[a1.png](/f/a.png)')
  assert.equal(withFile('', '[]', '/f/a'), '[file](/f/a)')
})
