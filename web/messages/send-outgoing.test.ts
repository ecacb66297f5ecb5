import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import { addOutgoing } from './outgoing.ts'
import { confirmOutgoing, isRefused, onOutgoingSettled, sendMessage } from './send-outgoing.ts'

test('only messages that were written in this tab are reported when an event confirms them', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const settled: (number | null)[] = []
  const stop = onOutgoingSettled(({ sentId }) => settled.push(sentId))
  const own = sendMessage({ kind: 'direct', people: [2] }, 'tea?')
  addOutgoing({ ...own, localId: 'of another tab' })
  confirmOutgoing('of another tab', 8)
  confirmOutgoing(own.localId, 9)
  confirmOutgoing(own.localId, 9)
  stop()
  assert.deepEqual(settled, [9])
})

test('a message waits for a server that is away, and is given up if it is refused or fails again and again', () => {
  const failure = (status: number) =>
    new ApiError('', { status, code: '', route: 'POST /messages', field: null, extras: {} })
  for (const status of [0, 429, 502, 503, 504]) assert.equal(isRefused(failure(status), 100), false, `${status}`)
  assert.equal(isRefused(new Error('aborted'), 100), false)
  assert.equal(isRefused(failure(400), 0), true)
  assert.deepEqual([isRefused(failure(500), 2), isRefused(failure(500), 3)], [false, true])
})
