import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastSeenAfter, presenceAt } from './presence.ts'

test('a user is active for 200 seconds after activity, idle while connected, and then offline', () => {
  assert.deepEqual(presenceAt({ activeAt: 1000, connectedAt: 1000 }, 1200), { kind: 'active' })
  assert.deepEqual(presenceAt({ activeAt: 1000, connectedAt: 1300 }, 1500), { kind: 'idle', since: 1000 })
  assert.deepEqual(presenceAt({ activeAt: 1000, connectedAt: 1300 }, 1501), { kind: 'offline', since: 1000 })
})

test('users without known presence are offline since an unknown time', () => {
  assert.deepEqual(presenceAt(undefined, 1000), { kind: 'offline', since: null })
})

test('an idle event keeps the time of activity, and an older one resets both times', () => {
  assert.deepEqual(lastSeenAfter({ activeAt: 1000, connectedAt: 1000 }, { status: 'idle', timestamp: 1100 }), {
    activeAt: 1000,
    connectedAt: 1100,
  })
  assert.deepEqual(lastSeenAfter({ activeAt: 1000, connectedAt: 1000 }, { status: 'active', timestamp: 735 }), {
    activeAt: 735,
    connectedAt: 735,
  })
  assert.deepEqual(lastSeenAfter({ activeAt: 1000, connectedAt: 1000 }, { status: 'idle', timestamp: 735 }), {
    activeAt: 735,
    connectedAt: 735,
  })
})
