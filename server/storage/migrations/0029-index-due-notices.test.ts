import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { openLooseDatabase } from '../../../test/loose-database.ts'
import { indexDueNotices } from './0029-index-due-notices.ts'

const INDEXES = onPostgres
  ? `select indexname as name from pg_indexes where tablename = 'pushNotices'`
  : `select name from sqlite_schema where type = 'index' and tbl_name = 'pushNotices'`

test('a database without the index of due notifications gets it, and an existing index is kept', async () => {
  await using database = await openLooseDatabase()
  const { run, migrator } = database
  await run('create table "pushNotices" ("dueAt" real)')
  const before = await run(INDEXES)

  await indexDueNotices(migrator)
  await indexDueNotices(migrator)

  assert.deepEqual(before, [])
  assert.deepEqual(
    (await run(INDEXES)).map(({ name }) => name),
    ['pushNotices_dueAt'],
  )
})
