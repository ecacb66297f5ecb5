import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSavedDraft } from './saved-drafts.ts'

const narrowOf = (key: string, draft = {}) => toSavedDraft(key, { text: 'words', ...draft }, 4)?.narrow

test('a draft links to the page on which it was started', () => {
  assert.equal(narrowOf('4.any'), null)
  assert.equal(narrowOf('4.new'), null)
  assert.deepEqual(narrowOf('4.12'), { kind: 'channel', channelId: 12 })
  assert.deepEqual(narrowOf('4.12.'), { kind: 'topic', channelId: 12, topic: '' })
  assert.deepEqual(narrowOf('4.12.v1.2 tea', { topic: 'V1.2 Tea' }), {
    kind: 'topic',
    channelId: 12,
    topic: 'V1.2 Tea',
  })
  assert.deepEqual(narrowOf('4.12.tea', { topic: 'other' }), { kind: 'topic', channelId: 12, topic: 'tea' })
  assert.deepEqual(narrowOf('4.dm.9,3'), { kind: 'direct', people: [3, 9] })
})

test('drafts of other users, empty and invalid ones are ignored', () => {
  for (const key of ['5.12', '44.12', '4.dm.x', '4.dm.', '4.x'])
    assert.equal(toSavedDraft(key, { text: 'words' }, 4), null, key)
  assert.equal(toSavedDraft('4.12', {}, 4), null)
  assert.equal(toSavedDraft('4.12', { text: 7 as never }, 4), null)
})
