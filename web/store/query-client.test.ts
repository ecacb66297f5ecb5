import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

const MINUTE = 60_000

// Without a window, queries are kept for ever.
Object.assign(globalThis, { window: globalThis })
const { queryClient } = await import('./query-client.ts')

test('conversations that the user has left stay at hand for an hour', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const keys = [
    ['messages', { kind: 'combined' }, 'newest'],
    ['topics', 1],
  ]
  for (const key of keys) queryClient.setQueryData(key, [])
  const known = () => keys.filter((key) => queryClient.getQueryData(key) !== undefined)

  mock.timers.tick(59 * MINUTE)
  assert.deepEqual(known(), keys)
  mock.timers.tick(2 * MINUTE)
  assert.deepEqual(known(), [])
  mock.timers.reset()
})
