import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../test/collected-log.ts'
import { startChat } from '../../test/harness.ts'
import { openKeeper } from './keeper.ts'

test('a queue that ends while somebody looks for it is found by nobody afterwards', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { queue_id: id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const { storage } = chat.app
  const keeper = openKeeper({
    storage,
    clock: chat.clock,
    log: collectLog().log,
    onTaken: () => assert.fail('there are no other nodes'),
    onEnded: () => assert.fail('there are no other nodes'),
  })
  const gate = Promise.withResolvers<void>()
  const before = storage.transaction(() => gate.promise)

  const found = keeper.find(id)
  const ended = keeper.end([id])
  gate.resolve()
  await Promise.all([before, found, ended])

  assert.equal(await keeper.find(id), null)
  await keeper.close()
})
