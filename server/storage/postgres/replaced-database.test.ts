import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { completeSettings, readSettings } from '#config.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { onPostgres } from '../../../test/database.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'

/** Copies the database, calls `serve`, and then replaces the database with the copy. */
async function restoreAfter(serve: () => Promise<void>, url: string): Promise<void> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  const elsewhere = new URL(url)
  elsewhere.pathname = '/postgres'
  const client = new pg.Client({ connectionString: elsewhere.href })
  await client.connect()
  await client.query(`create database "${name}_copy" template "${name}"`)
  await serve()
  await client.query(`alter database "${name}" allow_connections false`)
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  for (let isInUse = true; isInUse; ) {
    const { rows } = await client.query('select 1 from pg_stat_activity where datname = $1', [name])
    isInUse = rows.length > 0
  }
  await client.query(`alter database "${name}" rename to "${name}_lost"`)
  await client.query(`alter database "${name}_copy" rename to "${name}"`)
  await client.end()
}

for (const SEVERAL_NODES of [false, true]) {
  const who = SEVERAL_NODES ? 'a node' : 'a server that has the database alone'
  test(`${who} ends when the database was replaced by an older copy`, {
    skip: !onPostgres && 'needs PostgreSQL',
  }, async () => {
    const url = await sharedDatabaseUrl()
    const settings = completeSettings({ ...readSettings({}), DATABASE_URL: url, SEVERAL_NODES })
    await (await openTestStorage({ settings })).close()
    const { promise: fatal, resolve: onFatal } = Promise.withResolvers<unknown>()
    let served: Awaited<ReturnType<typeof openTestStorage>> | undefined

    await restoreAfter(async () => {
      served = await openTestStorage({ settings, onFatal })
      await served.transaction(async (tx) => tx.emit(1, anyEvent('hello'), [1]))
    }, url)
    const error = await fatal
    const isWritable = served?.isWritable()
    await served?.close()

    assert.match(String(error), /another database in place of the one that was served/)
    assert.equal(isWritable, false)
  })
}
