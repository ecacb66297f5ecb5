import assert from 'node:assert/strict'
import { test } from 'node:test'
import { personalKeys } from './personal-data.ts'

test("a user's drafts and forms are found by id, without browser settings", () => {
  const keys = [
    'parley.draft.4.12.tea',
    'parley.draft.44.any',
    'parley.kept.4.invite.link',
    'parley.emoji.4',
    'parley.emoji.5',
    'parley.theme',
    'parley.checklist.4',
    'other',
  ]

  assert.deepEqual(
    personalKeys(keys, (id) => id === 4),
    ['parley.draft.4.12.tea', 'parley.kept.4.invite.link', 'parley.emoji.4'],
  )
  assert.deepEqual(
    personalKeys(keys, (id) => id !== 4),
    ['parley.draft.44.any', 'parley.emoji.5'],
  )
})
