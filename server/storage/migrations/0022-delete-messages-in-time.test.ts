import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { migratorOver } from '../schema.ts'
import { deleteMessagesInTime } from './0022-delete-messages-in-time.ts'

test('an existing retention setting takes effect a week after the update', async () => {
  const chat = await startChat()
  const { db, transaction } = chat.app.services
  await chat.channel('design', [], { messageRetentionDays: 30 })
  const started = Date.now() / 1000

  await transaction(async (tx) => {
    const migrator = migratorOver(db.dialect, (query) => tx.db.executeQuery(query))
    for (const table of ['realms', 'channels']) await migrator.run(`alter table "${table}" drop column "retentionFrom"`)
    await deleteMessagesInTime(migrator)
  })

  for (const table of ['realms', 'channels'] as const) {
    for (const { retentionFrom } of await db.selectFrom(table).select('retentionFrom').execute())
      assert.ok(Math.abs((retentionFrom ?? 0) - started - 7 * 86_400) < 60, `${retentionFrom}`)
  }
})
