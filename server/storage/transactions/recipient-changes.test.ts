import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecipientChanges } from './recipient-changes.ts'

test('a change counts as known once all earlier ones are, in whatever order they are announced', () => {
  const changes = new RecipientChanges()
  changes.note(8)
  changes.startAfter(6)
  const beforeSeven = [changes.isUpTo(6), changes.isUpTo(8)]

  changes.note(7)
  const afterSeven = changes.isUpTo(8)
  changes.forget()

  assert.deepEqual([...beforeSeven, afterSeven, changes.isUpTo(8)], [true, false, true, false])
})
