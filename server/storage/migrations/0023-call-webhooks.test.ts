import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { migratorOver } from '../schema.ts'
import { callWebhooks } from './0023-call-webhooks.ts'

test('existing outgoing-webhook bots get their own tokens', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  for (const name of ['one', 'two'])
    await ben.succeed('POST /bots', {
      full_name: name,
      short_name: name,
      bot_type: 3,
      payload_url: 'https://example.org',
    })
  const { db, transaction } = chat.app.services

  await transaction(async (tx) => {
    const migrator = migratorOver(db.dialect, (query) => tx.db.executeQuery(query))
    await migrator.run('drop table "webhookCalls"')
    await migrator.run('alter table "botServices" drop column "token"')
    await callWebhooks(migrator)
  })

  const tokens = (await db.selectFrom('botServices').select('token').execute()).map(({ token }) => token)
  assert.equal(new Set(tokens).size, 2)
  for (const token of tokens) assert.match(token, /^[\da-f]{32}$/)
})
