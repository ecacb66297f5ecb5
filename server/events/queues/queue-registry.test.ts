import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../../test/collected-log.ts'
import { startChat } from '../../../test/harness.ts'
import { QueueRegistry } from './queue-registry.ts'

const alone = {
  onClaimed: () => assert.fail('there are no other nodes'),
  onDeleted: () => assert.fail('there are no other nodes'),
  onSwept: () => {},
}

test('a queue that is deleted during a search is not found afterwards', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { queue_id: id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const { storage } = chat.app
  const registry = new QueueRegistry({ ...alone, storage, clock: chat.clock, log: collectLog().log })
  const gate = Promise.withResolvers<void>()
  const before = storage.transaction(() => gate.promise)

  const found = registry.find(id)
  const ended = registry.delete([id])
  gate.resolve()
  await Promise.all([before, found, ended])

  assert.equal(await registry.find(id), null)
  await registry.close()
})

test('a queue expires a lifespan after the end of its last poll, however long the polls waited', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { queue_id: id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const { storage } = chat.app
  const registry = new QueueRegistry({ ...alone, storage, clock: chat.clock, log: collectLog().log })
  const queue = await registry.find(id)
  assert.ok(queue !== null)

  registry.hold(queue)
  registry.hold(queue)
  await chat.clock.advance(500)
  registry.release(queue)
  await chat.clock.advance(601)
  assert.equal(registry.peek(id), queue, 'a second poll waits')
  registry.release(queue)
  const releasedAt = chat.clock.now()
  await chat.clock.advance(600)
  assert.equal(registry.peek(id), queue)
  const row = await storage.db.selectFrom('eventQueues').select('polledAt').where('id', '=', id).execute()
  assert.deepEqual(row, [{ polledAt: releasedAt }])
  await chat.clock.advance(1)

  assert.equal(registry.peek(id), undefined)
  assert.equal(await registry.find(id), null)
  await registry.close()
})

test('progress that could not be written is included in the next write', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { queue_id: id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const { storage } = chat.app
  let isFull = true
  const transaction: typeof storage.transaction = async (work, options) => {
    if (isFull) throw new Error('The disk is full')
    return storage.transaction(work, options)
  }
  const { log, errors } = collectLog()
  const registry = new QueueRegistry({ ...alone, storage: { ...storage, transaction }, clock: chat.clock, log })
  const queue = await registry.find(id)
  assert.ok(queue !== null)

  queue.acknowledgedId = 17
  registry.recordPoll(queue)
  await registry.close()
  assert.equal(errors.length, 1)
  isFull = false
  await registry.close()

  const row = await storage.db.selectFrom('eventQueues').select('acknowledgedId').where('id', '=', id).execute()
  assert.deepEqual(row, [{ acknowledgedId: 17 }])
})
