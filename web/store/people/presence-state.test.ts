import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastSeenAfter, presenceAt } from './presence-state.ts'

test('somebody is active for 200 seconds after they did something, idle while connected, and away after that', () => {
  assert.deepEqual(presenceAt({ activeAt: 1000, connectedAt: 1000 }, 1200), { kind: 'active' })
  assert.deepEqual(presenceAt({ activeAt: 1000, connectedAt: 1300 }, 1500), { kind: 'idle', since: 1000 })
  assert.deepEqual(presenceAt({ activeAt: 1000, connectedAt: 1300 }, 1501), { kind: 'offline', since: 1000 })
})

test('of whom nothing is known looks away, since nobody knows when', () => {
  assert.deepEqual(presenceAt(undefined, 1000), { kind: 'offline', since: null })
})

test('a sign of idleness keeps when somebody was active, and one of the past sets both times back', () => {
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
