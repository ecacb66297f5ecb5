import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visiblePanes } from './visible-panes.ts'

test('panes are shown next to message views only', () => {
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
    assert.deepEqual(visiblePanes(path, {}), { conversations: true, people: true }, path)
  for (const path of ['/channels', '/channels/new', '/channels/3/settings/general', '/people', '/settings/profile'])
    assert.deepEqual(visiblePanes(path, {}), { conversations: false, people: false }, path)
  assert.deepEqual(visiblePanes('/', {}), { conversations: true, people: false })
})
