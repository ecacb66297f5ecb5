import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttemptAt } from './outbox.ts'

test('an email is tried again after a minute, then less and less often, for up to three days', () => {
  const times = [0]
  for (let attempts = 1; ; attempts += 1) {
    const next = nextAttemptAt(attempts, times.at(-1) ?? 0)
    if (next === null) break
    times.push(next)
  }

  assert.deepEqual(times.slice(0, 6), [0, 60, 360, 1260, 4860, 19_260])
  assert.equal(times.length, 22)
  assert.ok((times.at(-1) ?? 0) > 2.5 * 86_400 && (times.at(-1) ?? 0) < 3 * 86_400)
})
