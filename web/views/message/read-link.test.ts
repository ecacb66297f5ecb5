import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLink } from './read-link.ts'

test('links resolve to their conversation and message', () => {
  assert.deepEqual(readLink('narrow/channel/3-new-design/topic/v1.2E0.20.2850.25.29/near/12'), {
    narrow: { kind: 'topic', channelId: 3, topic: 'v1.0 (50%)' },
    near: 12,
  })
  assert.deepEqual(readLink('narrow/stream/3-new-design'), { narrow: { kind: 'channel', channelId: 3 } })
  assert.deepEqual(readLink('narrow/channel/3-new-design/topic//with/5'), {
    narrow: { kind: 'topic', channelId: 3, topic: '' },
    near: 5,
  })
  assert.deepEqual(readLink('narrow/dm/9,8-dm/near/13'), { narrow: { kind: 'direct', people: [8, 9] }, near: 13 })
  assert.deepEqual(readLink('narrow/is/starred'), { narrow: { kind: 'starred' } })
})

test('malformed links are ignored', () => {
  for (const hash of ['', 'main', 'narrow', 'narrow/channel/design', 'narrow/channel/3-x/topic/.ZZ', 'narrow/dm/ben'])
    assert.equal(readLink(hash), null, hash)
})
