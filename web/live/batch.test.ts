import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerEvent } from '../store/registration.ts'
import { type Batch, cut, join, MAX_JOINED } from './batch.ts'

const heartbeat = (id: number): ServerEvent => ({ type: 'heartbeat', id })

const batch: Batch = { queueId: 'q', after: 4, lastEventId: 9, events: [heartbeat(6), heartbeat(8)] }

const at = (lastEventId: number, queueId = 'q') => cut(batch, { queueId, lastEventId })

test('a page takes the events that follow its position', () => {
  assert.deepEqual(at(4), batch)
  assert.deepEqual(at(6), { ...batch, after: 6, events: [heartbeat(8)] })
  assert.deepEqual(at(7), { ...batch, after: 7, events: [heartbeat(8)] })
  assert.deepEqual(at(9), { ...batch, after: 9, events: [] })
})

test('a batch is of no use to a page that lacks earlier events, is ahead of it, or has another queue', () => {
  assert.deepEqual([at(3), at(10), at(6, 'other')], [null, null, null])
})

test('joined batches hold the latest events, and say from where', () => {
  const next = { ...batch, after: 9, lastEventId: 12, events: [heartbeat(12)] }
  const many = {
    ...next,
    lastEventId: 2000,
    events: Array.from({ length: MAX_JOINED }, (_, index) => heartbeat(10 + index)),
  }

  assert.deepEqual(join(batch, next), { ...next, after: 4, events: [...batch.events, heartbeat(12)] })
  assert.deepEqual(join(batch, many), { ...many, after: 8 })
  assert.equal(join(batch, { ...next, after: 10 }).after, 10)
})
