import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasPeople, isChatPage } from './visible-panes.ts'

test('message views and lists of conversations bring their own header', () => {
  for (const path of [
    '/chats',
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
    assert.equal(isChatPage(path, {}), true, path)
  for (const path of [
    '/',
    '/channels',
    '/channels/new',
    '/channels/3/settings/general',
    '/people',
    '/settings/profile',
  ])
    assert.equal(isChatPage(path, {}), false, path)
})

test('channels, topics and direct messages have people', () => {
  for (const path of ['/channels/3', '/dm/3,5']) assert.equal(hasPeople(path, {}), true, path)
  assert.equal(hasPeople('/channels/3', { topic: 'tea' }), true)
  for (const path of ['/inbox', '/combined', '/search', '/people']) assert.equal(hasPeople(path, {}), false, path)
})
