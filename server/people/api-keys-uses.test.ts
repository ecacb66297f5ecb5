import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../test/collected-log.ts'
import { startChat } from '../../test/harness.ts'
import { openKeyUses } from './api-keys.ts'

test('a last use that could not be saved is saved with the next ones', async () => {
  const chat = await startChat()
  await chat.user('ada')
  const { storage } = chat.app
  const key = await storage.db.selectFrom('apiKeys').select('id').executeTakeFirstOrThrow()
  await storage.transaction((tx) => tx.deleteFrom('apiKeyUses').execute())
  let isFull = true
  const transaction: typeof storage.transaction = async (work, options) => {
    if (isFull) throw new Error('The disk is full')
    return storage.transaction(work, options)
  }
  const { log, errors } = collectLog()
  const keyUses = openKeyUses({ storage: { ...storage, transaction }, clock: chat.clock, log })

  keyUses.recordUse(key.id)
  const usedAt = chat.clock.now()
  await keyUses.flush()
  isFull = false
  await keyUses.flush()

  const rows = await storage.db.selectFrom('apiKeyUses').selectAll().execute()
  assert.equal(errors.length, 1)
  assert.deepEqual(rows, [{ apiKeyId: key.id, lastUsedAt: usedAt }])
})
