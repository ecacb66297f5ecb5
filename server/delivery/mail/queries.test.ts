import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { onPostgres } from '../../../test/database.ts'
import { startChat } from '../../../test/harness.ts'
import { mailsQuery } from './queries.ts'

// How PostgreSQL goes about it depends on how many mails there are.
test('mails to an address are found by the index on addresses', { skip: onPostgres && 'SQLite alone' }, async () => {
  const { db } = (await startChat()).app.services

  const { sql, parameters } = mailsQuery(db, { realmId: 1, recipient: 'ben@example.com', beforeId: 9 }).compile()

  const plan = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  assert.deepEqual(
    plan.rows.map(({ detail }) => detail),
    ['SEARCH mails USING INDEX mails_recipientKey (recipientKey=? AND rowid<?)'],
  )
})
