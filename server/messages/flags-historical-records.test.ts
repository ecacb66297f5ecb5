import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'
import { saveHistoricalRecords } from './flags.ts'

test('no record is created for a message that is being deleted', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const channel = await chat.channel('design', [ada])
  const [deleted, kept] = [await sendToChannel(ada, channel), await sendToChannel(ada, channel)]
  const { db, transaction } = chat.app.services
  const isDeleted = Promise.withResolvers<void>()

  const deletion = transaction(async (tx) => {
    await tx.deleteFrom('userMessages').where('messageId', '=', deleted).execute()
    await tx.deleteFrom('messages').where('id', '=', deleted).execute()
    isDeleted.resolve()
    await sleep(50)
  })
  await isDeleted.promise
  await Promise.all([deletion, transaction((tx) => saveHistoricalRecords(tx, ben.id, [deleted, kept]))])

  const records = await db.selectFrom('userMessages').select('messageId').where('userId', '=', ben.id).execute()
  assert.deepEqual(records, [{ messageId: kept }])
})
