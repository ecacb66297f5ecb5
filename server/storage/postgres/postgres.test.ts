import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { collectLog } from '../../../test/collected-log.ts'
import { onPostgres } from '../../../test/database.ts'
import { openDatabaseProxy } from '../../../test/database-proxy.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { DatabaseUnavailable, type Storage, type Transaction } from '../storage.ts'

const skip = !onPostgres && 'needs PostgreSQL'

/** Terminates connections on the database server, as a restart of PostgreSQL would, and waits until they are closed. */
async function cutConnections(url: string, condition: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid, 30000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
  )
  await client.end()
}

const note = (storage: Storage, name: string) =>
  storage.transaction((tx) => tx.insertInto('installation').values({ name, value: '' }).execute())

test('a server whose lock connection was terminated takes the lock again, and counts that as an outside commit', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  const outside = new Promise<void>((resolve) => server.onOutsideCommit(resolve))

  await cutConnections(url, `application_name like 'parley %, process%'`)
  await outside
  const refused = await openTestStorage({ url }).catch((error) => error)
  await note(server, 'after')

  assert.match(String(refused), /already being served/)
  assert.equal(await server.isReady(), true)
})

test('a server whose idle connections were terminated opens new ones', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  await note(server, 'before')

  await cutConnections(url, `application_name = 'parley'`)
  await server.db
    .selectFrom('installation')
    .select('name')
    .execute()
    .catch(() => undefined)

  await note(server, 'after')
  assert.equal((await server.db.selectFrom('installation').select('name').execute()).length, 2)
})

test('lost idle connections are logged in one line each, without their content', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  const { log, entries } = collectLog()
  await using server = await openTestStorage({ url, log })
  await note(server, 'before')

  await cutConnections(url, `application_name = 'parley'`)
  while (entries.length === 0) await sleep(10)

  assert.deepEqual(entries[0], {
    message: 'An idle connection to PostgreSQL was lost',
    reason: 'terminating connection due to administrator command',
  })
})

test('a transaction whose connection is terminated fails, and nothing of it is written', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  const insert = (tx: Transaction, name: string) => tx.insertInto('installation').values({ name, value: '' }).execute()

  const cutBeforeCommit = server.transaction(async (tx) => {
    await insert(tx, 'a')
    await cutConnections(url, `application_name = 'parley'`)
  })
  // The outcome of the commit is unknown.
  await assert.rejects(cutBeforeCommit, (error) => !(error instanceof DatabaseUnavailable))
  const cutWithin = server.transaction(async (tx) => {
    await insert(tx, 'b')
    await cutConnections(url, `application_name = 'parley'`)
    await insert(tx, 'c')
  })
  await assert.rejects(cutWithin, DatabaseUnavailable)

  assert.deepEqual(await server.db.selectFrom('installation').select('name').execute(), [])
})

test('while PostgreSQL is unavailable reads and writes report it, and a mistake is reported as such', {
  skip,
}, async () => {
  const wire = await openDatabaseProxy(await sharedDatabaseUrl())
  await using server = await openTestStorage({ url: wire.url })
  await note(server, 'before')
  const read = (from: string) => server.db.executeQuery(CompiledQuery.raw(`select 1 from ${from}`))

  await assert.rejects(
    async () => read('nowhere'),
    (error) => !(error instanceof DatabaseUnavailable),
  )
  await wire[Symbol.asyncDispose]()

  await assert.rejects(async () => read('installation'), DatabaseUnavailable)
  await assert.rejects(note(server, 'meanwhile'), DatabaseUnavailable)
})

test('a server that was replaced while its lock connection was lost is asked to end, and writes nothing', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  const usurper = new pg.Client({ connectionString: url })
  await usurper.connect()
  const waiting = usurper.query('select pg_advisory_lock($1, 1)', [0x5061726c])

  await cutConnections(url, `application_name like 'parley %, process%'`)
  await waiting
  // The server has no reason to stop before it notices the lost connection.
  while (await server.isReady()) await sleep(10)
  const writing = note(server, 'late')

  await assert.rejects(writing, /lock on the database was lost/)
  assert.equal(await server.isReady(), false)
  await usurper.end()
})

test('the error for an unreachable database names it without its password', { skip }, async () => {
  const url = new URL(await sharedDatabaseUrl())
  url.pathname = '/missing'
  url.password = 'secret'

  await assert.rejects(openTestStorage({ url: url.href }), (error: Error) => {
    assert.match(error.message, /refuses missing: .*does not exist/)
    assert.doesNotMatch(error.message, /secret/)
    return true
  })
})
