import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOutgoing } from './outgoing.ts'
import { confirmOutgoing, onOutgoingSettled, sendMessage } from './send-outgoing.ts'

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
