import assert from 'node:assert/strict'
import { test } from 'node:test'
import { panesAt } from './panes-at.ts'

test('conversations and people stand beside what one reads, and beside nothing else', () => {
  for (const path of [
    '/inbox',
    '/inbox/',
    '/recent',
    '/drafts',
    '/dm',
    '/dm/3,5',
    '/channels/3',
    '/channels/3/',
    '/combined',
    '/search',
  ])
    assert.deepEqual(panesAt(path, {}), { conversations: true, people: true }, path)
  for (const path of ['/channels', '/channels/new', '/channels/3/settings/general', '/people', '/settings/profile'])
    assert.deepEqual(panesAt(path, {}), { conversations: false, people: false }, path)
  assert.deepEqual(panesAt('/', {}), { conversations: true, people: false })
})
