import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { sendDirect } from '../../../test/messages.ts'
import { migratorOver } from '../schema.ts'
import { takeWordsInLater } from './0020-take-words-in-later.ts'

test('the words of messages that an older program saved count as indexed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { db, transaction } = chat.app.services
  const migrate = () =>
    transaction(async (tx) => {
      await takeWordsInLater(migratorOver(db.dialect, (query) => tx.db.executeQuery(query)))
    })
  const counter = () => db.selectFrom('counters').select('value').where('name', '=', 'words').execute()

  await migrate()
  assert.deepEqual(await counter(), [])
  await sendDirect(ada, [ada], 'one')
  const last = await sendDirect(ada, [ada], 'two')
  await migrate()
  assert.deepEqual(await counter(), [{ value: last }])
})
