import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { onPostgres } from '../../../test/database.ts'
import { SETTINGS, startPostgres } from '../../../test/postgres.ts'
import { openTestStorage } from '../../../test/storage.ts'

test('parallel workers work in a cluster whose text search configuration is missing in this database', {
  skip: !onPostgres && 'needs PostgreSQL',
}, async () => {
  const cluster = { default_text_search_config: 'another.language', debug_parallel_query: 'on' }
  const postgres = await startPostgres({ ...SETTINGS, ...cluster })
  const outsider = new pg.Client({ connectionString: postgres.url })
  await outsider.connect()
  const storage = await openTestStorage({ url: postgres.url })
  const write = () =>
    storage.transaction((tx) => tx.insertInto('installation').values({ name: 'a', value: '1' }).execute())

  await write()
  const found = await storage.db.selectFrom('installation').select('name').execute()
  const failure = await outsider.query('select "name" from "installation"').catch((error) => error)
  await Promise.all([storage.close(), outsider.end()])
  await postgres.stop()

  assert.deepEqual(found, [{ name: 'a' }])
  assert.match(String(failure), /default_text_search_config/)
})
