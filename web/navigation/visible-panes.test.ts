import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasPeople } from './narrow-location.ts'

test('channels, topics and direct messages have people', () => {
  for (const path of ['/channels/3', '/dm/3,5']) assert.equal(hasPeople(path, {}), true, path)
  assert.equal(hasPeople('/channels/3', { topic: 'tea' }), true)
  for (const path of ['/inbox', '/combined', '/search', '/people']) assert.equal(hasPeople(path, {}), false, path)
})
