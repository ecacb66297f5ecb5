import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromServerDraft, toServerDraft } from './server-draft.ts'

const NOW = 1_790_000_000
const sent = (type: 'stream' | 'private' | '', to: number[], topic: string) => ({
  ...{ type, to, topic, content: 'half a thought' },
  timestamp: NOW,
})

test('a draft has the recipients of its conversation on the server, and the same place in another browser', () => {
  const text = 'half a thought'
  const cases = [
    { key: '7.5.icons', draft: { channelId: 5, topic: 'Icons', text }, server: sent('stream', [5], 'Icons') },
    { key: '7.dm.8,9', draft: { text }, server: sent('private', [8, 9], '') },
    { key: '7.any', draft: { text }, server: sent('', [], '') },
  ]

  for (const { key, draft, server } of cases) {
    assert.deepEqual(toServerDraft(key, draft, NOW), server)
    assert.deepEqual(fromServerDraft(7, { ...server, id: 1 }), { key, draft })
  }
})

test('recipients that were chosen take the place of those of the page', () => {
  assert.deepEqual(toServerDraft('7.any', { people: [8], text: 'half a thought' }, NOW), sent('private', [8], ''))
  assert.deepEqual(toServerDraft('7.5', { text: 'half a thought' }, NOW), sent('stream', [5], ''))
})
