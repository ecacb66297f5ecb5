import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryClient } from './query-client.ts'

const HOUR = 3_600_000

// Without a window, as here, queries are kept for ever, so the time itself cannot be tested.
test('conversations that the user has left stay at hand for an hour', () => {
  for (const key of [
    ['messages', { kind: 'combined' }, 'newest'],
    ['topics', 1],
  ])
    assert.equal(queryClient.getQueryDefaults(key).gcTime, HOUR)
  assert.equal(queryClient.getQueryDefaults(['sessions']).gcTime, undefined)
})
