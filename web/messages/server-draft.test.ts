import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOfServerDraft, recipientsOf, toServerDraft } from './drafts.ts'

const NOW = 1_790_000_000
const sent = (type: 'stream' | 'private' | '', to: number[], topic: string) => ({
  ...{ type, to, topic, content: 'half a thought' },
  timestamp: NOW,
})

test('a draft has the recipients of its conversation on the server, and the same place in another browser', () => {
  const text = 'half a thought'
  const cases = [
    { key: '7.5.icons', recipients: { channelId: 5, topic: 'Icons' }, server: sent('stream', [5], 'Icons') },
    { key: '7.dm.8,9', recipients: { people: [8, 9] }, server: sent('private', [8, 9], '') },
    { key: '7.new', recipients: {}, server: sent('', [], '') },
  ]

  for (const { key, recipients, server } of cases) {
    assert.deepEqual(toServerDraft(key, { ...recipients, text }, NOW), server)
    assert.equal(keyOfServerDraft(7, server), key)
    assert.deepEqual(recipientsOf(7, server), recipients)
  }
})

test('recipients that were chosen take the place of those of the page', () => {
  assert.deepEqual(toServerDraft('7.any', { people: [8], text: 'half a thought' }, NOW), sent('private', [8], ''))
  assert.deepEqual(toServerDraft('7.5', { text: 'half a thought' }, NOW), sent('stream', [5], ''))
  assert.deepEqual(
    toServerDraft('7.dm.8', { people: [8, 9], text: 'half a thought' }, NOW),
    sent('private', [8, 9], ''),
  )
  assert.deepEqual(
    toServerDraft('7.dm.8', { channelId: 5, topic: 'icons', text: 'half a thought' }, NOW),
    sent('stream', [5], 'icons'),
  )
  assert.deepEqual(toServerDraft('7.5', { people: [], text: 'half a thought' }, NOW), sent('', [], ''))
})

test('a draft with a recipient’s name that is not finished has no recipients on the server', () => {
  const draft = { people: [8], name: 'cle', text: 'half a thought' }

  assert.deepEqual(toServerDraft('7.new', draft, NOW), sent('', [], ''))
  assert.deepEqual(toServerDraft('7.new', { ...draft, name: ' ' }, NOW), sent('private', [8], ''))
})
