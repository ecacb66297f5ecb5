import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { type Body, type Chat, type Person, startChat } from '../../test/harness.ts'

const REPORT = 'POST /users/me/presence'

/** Reports the presence, and returns the response and the number of statements that the server ran for it. */
async function statementsOf(chat: Chat, person: Person, params: object): Promise<{ count: number; response: Body }> {
  const before = chat.app.storage.statements
  const response = await person.succeed(REPORT, { status: 'active', ...params })
  return { count: chat.app.storage.statements - before, response }
}

test('a poll that raises no event needs no query, whether or not it changes something', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  for (const person of [ada, ben]) await person.succeed(REPORT, { status: 'active', last_update_id: -1 })
  await chat.clock.advance(1)

  const unchanged = await statementsOf(chat, ada, { last_update_id: 2 })
  const everything = await statementsOf(chat, ada, { last_update_id: -1, new_user_input: true })
  const older = await statementsOf(chat, ben, {})
  await chat.clock.advance(60)
  const changed = await statementsOf(chat, ada, { last_update_id: 2 })

  assert.deepEqual([unchanged.count, unchanged.response.presences], [0, {}])
  assert.deepEqual([everything.count, Object.keys(everything.response.presences).length], [0, 2])
  assert.deepEqual([older.count, Object.keys(older.response.presences).length], [0, 2])
  assert.deepEqual([changed.count, changed.response.presence_last_update_id], [0, 3])
})

test('a change of any account takes one query, not one for each user', async () => {
  const chat = await startChat()
  const people = await Promise.all(Array.from({ length: 30 }, (_, at) => chat.user(`p${at}`)))
  for (const person of people) await person.succeed(REPORT, { status: 'idle', ping_only: true })
  const [ada, ben] = people as [Person, Person]
  await chat.app.services.transaction((tx) => saveUserFields(tx, ben.id, { deactivatedAt: tx.now }))

  const first = await statementsOf(chat, ada, { last_update_id: -1, status: 'idle' })
  const second = await statementsOf(chat, ada, { last_update_id: -1, status: 'idle' })

  // These include one statement for the API key and one for all accounts.
  assert(first.count <= 3, `${first.count} statements`)
  assert.equal(Object.keys(first.response.presences).length, 29)
  assert.equal(second.count, 0)
})
