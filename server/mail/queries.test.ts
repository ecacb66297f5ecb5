import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Compilable, CompiledQuery } from 'kysely'
import type { Db } from '#storage/storage.ts'
import { onPostgres } from '../../test/database.ts'
import { startChat } from '../../test/harness.ts'
import { mailsQuery, oldCanceledMailsQuery, recipientsQuery } from './queries.ts'

// PostgreSQL's plan also depends on the number of emails, so only SQLite's plan is tested.
const options = { skip: onPostgres && 'SQLite alone' }

/** Returns the steps of SQLite's plan for the query. */
async function planOf(query: (db: Db) => Compilable): Promise<string[]> {
  const { db } = (await startChat()).app.services
  const { sql, parameters } = query(db).compile()
  const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
  return (await db.executeQuery<{ detail: string }>(explain)).rows.map(({ detail }) => detail)
}

test('emails to an address are found by the index on addresses', options, async () => {
  const plan = await planOf((db) => mailsQuery(db, { realmId: 1, recipient: 'ben@example.com', beforeId: 9 }))

  assert.deepEqual(plan, ['SEARCH mails USING INDEX mails_recipientKey (recipientKey=? AND rowid<?)'])
})

test('recently mailed addresses are found by the index on addresses', options, async () => {
  const plan = await planOf((db) => recipientsQuery(db, '["ben@example.com", "cleo@example.com"]', 1, 'invitation', 0))

  assert.equal(plan[0], 'SEARCH mails USING INDEX mails_recipientKey (recipientKey=?)')
})

test('old canceled emails are found by their index', options, async () => {
  const plan = await planOf((db) => oldCanceledMailsQuery(db, 0))

  assert.deepEqual(plan, ['SEARCH mails USING COVERING INDEX mails_canceled (endedAt<?)'])
})
