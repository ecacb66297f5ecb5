import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { ConversationRef } from './narrow.ts'
import { addTypist, clearTypists, removeTypist, typistsAt } from './typists.ts'

const [ADA, BEN] = [1, 2]
const lunch: ConversationRef = { kind: 'topic', channelId: 7, topic: 'Lunch' }

test('typing users are listed until they stop or time out', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  addTypist(lunch, ADA, 1000)
  addTypist(lunch, BEN, 1000)
  mock.timers.tick(600)
  addTypist({ ...lunch, topic: 'lunch' }, ADA, 1000)
  assert.deepEqual(typistsAt(lunch), [ADA, BEN])

  mock.timers.tick(600)
  assert.deepEqual(typistsAt(lunch), [ADA])
  assert.deepEqual(typistsAt({ kind: 'direct', people: [BEN] }), [])

  addTypist({ kind: 'message', id: 7 }, ADA, 1000)
  assert.deepEqual(typistsAt({ kind: 'message', id: 7 }), [ADA])
  assert.deepEqual(typistsAt({ kind: 'message', id: 8 }), [])

  removeTypist(lunch, ADA)
  removeTypist(lunch, BEN)
  assert.deepEqual(typistsAt(lunch), [])
  mock.timers.reset()
})

test('all typing users are removed when the state is outdated', () => {
  addTypist(lunch, ADA, 1000)

  clearTypists()

  assert.deepEqual(typistsAt(lunch), [])
})
