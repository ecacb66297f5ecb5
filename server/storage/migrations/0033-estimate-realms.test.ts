import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { openLooseDatabase } from '../../../test/loose-database.ts'
import { createAllTables } from './0001-create-all-tables.ts'
import { estimateRealms } from './0033-estimate-realms.ts'

test('a database with messages immediately has statistics about their organizations', {
  skip: !onPostgres && 'needs PostgreSQL',
}, async () => {
  await using database = await openLooseDatabase()
  const { run, migrator } = database
  await createAllTables(migrator)
  await run(`insert into "messages" ("id", "realmId", "senderId", "channelId", "topic", "topicKey", "content",
      "renderedContent", "renderedVersion", "client", "sentAt")
    select at, 2, 3, 4, '', '', '', '', 0, '', 0 from generate_series(1, 1000) at`)

  await estimateRealms(migrator)

  const rows = await run(`explain (format json) select 1 from "messages" where +"realmId" = 2`)

  assert.match(JSON.stringify(rows), /"Plan Rows":1000/)
})
