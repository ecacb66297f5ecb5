import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/fast-check.ts'
import { batchSizeOf, type DeletionCost, MAX_BATCH_COST } from './delete-expired-messages.ts'

const costOf = (messages: readonly DeletionCost[], subscribers: number) =>
  messages.reduce((sum, { records }) => sum + records, 0) +
  new Set(messages.map(({ topicKey }) => topicKey)).size * subscribers

const messages = fc.array(
  fc.record({
    topicKey: fc.constantFrom('tea', 'milk', 'cake'),
    records: fc.oneof(fc.nat(30), fc.nat(2 * MAX_BATCH_COST)),
  }),
  { minLength: 1, maxLength: 200 },
)

test('a batch has as many messages as its cost allows, and at least one', () => {
  fc.assert(
    fc.property(messages, fc.oneof(fc.nat(20), fc.nat(2 * MAX_BATCH_COST)), (all, subscribers) => {
      const size = batchSizeOf(all, subscribers)

      assert.ok(size >= 1 && size <= all.length)
      assert.ok(size === 1 || costOf(all.slice(0, size), subscribers) <= MAX_BATCH_COST)
      assert.ok(size === all.length || costOf(all.slice(0, size + 1), subscribers) > MAX_BATCH_COST)
    }),
  )
})
