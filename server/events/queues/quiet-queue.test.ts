import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countStatements } from '../../../test/count-statements.ts'
import { onPostgres } from '../../../test/database.ts'
import { startChat } from '../../../test/harness.ts'

const skip = onPostgres && 'statements are counted on SQLite'

test('events for other users are checked once, however often a client polls without waiting', { skip }, async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { queue_id, last_event_id } = await ada.succeed('POST /register', { event_types: ['alert_words'] })
  const poll = () => ada.succeed('GET /events', { queue_id, last_event_id, dont_block: true })
  const emitToOthers = (count: number) =>
    chat.app.services.transaction(async (tx) => {
      for (let made = 0; made < count; made++)
        tx.emit(chat.realm.id, { type: 'alert_words', alert_words: [] }, [ben.id])
    })
  await poll()
  const alone = await countStatements(poll)
  await emitToOthers(3000)

  assert.deepEqual((await poll())['events'], [])
  assert.equal(await countStatements(poll), alone)
  await ada.succeed('POST /users/me/alert_words', { alert_words: ['tea'] })
  for (const _ of [1, 2]) assert.equal((await poll())['events'].length, 1)
})
