import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../test/harness.ts'
import { defineQuery } from './sql.ts'

const usersBetween = defineQuery((db, realmId: number, before: string, after: string) =>
  db
    .selectFrom('users')
    .select(['fullName'])
    .where('fullName', '>', after)
    .where('fullName', '<', before)
    .where('realmId', '=', realmId)
    .where('role', '=', 400)
    .orderBy('fullName'),
)

test('arguments reach their positions in any order, and again at each call', async () => {
  const chat = await startChat()
  for (const name of ['ada', 'ben', 'cleo']) await chat.user(name)
  const { db } = chat.app.services
  const names = async (before: string, after: string) =>
    (await usersBetween(db, chat.realm.id, before, after)).map((user) => user.fullName)

  assert.deepEqual(await names('Cleo', 'Ada'), ['Ben'])
  assert.deepEqual(await names('Z', 'Ada'), ['Ben', 'Cleo'])
})

test('a query sees the changes of its transaction', async () => {
  const chat = await startChat()
  await chat.user('ada')

  const found = await chat.app.services.transaction(async (tx) => {
    await tx.updateTable('users').set({ fullName: 'Bea' }).where('fullName', '=', 'Ada').execute()
    return usersBetween(tx.db, chat.realm.id, 'C', 'B')
  })

  assert.deepEqual(found, [{ fullName: 'Bea' }])
})
