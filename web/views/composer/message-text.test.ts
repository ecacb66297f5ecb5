import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFile } from './message-text.ts'

test("a file link has its own line, and its name can't break the link", () => {
  assert.equal(withFile('', 'a.png', '/f/a.png'), '[a.png](/f/a.png)')
  assert.equal(withFile('See', 'a.png', '/f/a.png'), 'See\n[a.png](/f/a.png)')
  assert.equal(withFile('See\n', 'a[1].png', '/f/a.png'), 'See\n[a1.png](/f/a.png)')
  assert.equal(withFile('', '[]', '/f/a'), '[file](/f/a)')
})
