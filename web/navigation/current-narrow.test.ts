import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Narrow } from '../messages/narrow.ts'
import { readNarrow, toLocation } from './narrow-location.ts'

const narrows: readonly Narrow[] = [
  { kind: 'channel', channelId: 4 },
  { kind: 'topic', channelId: 4, topic: 'tea / ../? #1' },
  { kind: 'topic', channelId: 4, topic: '' },
  { kind: 'direct', people: [3, 12] },
  { kind: 'mentions' },
  { kind: 'starred' },
  { kind: 'combined' },
  { kind: 'direct-messages' },
  { kind: 'reactions' },
  { kind: 'search', query: 'from:9-Ada channel:4 "warm grey"' },
]

for (const narrow of narrows)
  test(`the address of ${JSON.stringify(narrow)} leads back to it`, () => {
    const { to, search } = toLocation(narrow, 77)

    assert.deepEqual(readNarrow(to, search), narrow)
    assert.equal(search.near, 77)
  })

test('other paths are no narrow', () => {
  for (const path of ['/', '/settings/profile', '/channels', '/channels/x', '/channels/4/settings', '/dm', '/dm/a,b'])
    assert.equal(readNarrow(path, {}), null, path)
})
