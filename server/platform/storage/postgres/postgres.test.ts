import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { collectLog } from '../../../../test/collected-log.ts'
import { onPostgres } from '../../../../test/database.ts'
import { openDatabaseProxy } from '../../../../test/database-proxy.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../../test/storage.ts'
import { DatabaseUnavailable } from '../engine.ts'
import type { Storage, Transaction } from '../storage.ts'

const skip = !onPostgres && 'needs PostgreSQL'

/** Ends connections to the database from the server's side, as a restart of PostgreSQL would. */
async function cutConnections(url: string, condition: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
  )
  await client.end()
}

const note = (storage: Storage, name: string) =>
  storage.transaction((tx) => tx.insertInto('installation').values({ name, value: '' }).execute())

test('a server whose lock was cut takes it again, and counts that as a commit from outside', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  const outside = new Promise<void>((resolve) => server.onOutsideCommit(resolve))

  await cutConnections(url, `application_name like 'parley, process%'`)
  await outside
  const refused = await openTestStorage({ url }).catch((error) => error)
  await note(server, 'after')

  assert.match(String(refused), /already being served/)
  assert.equal(await server.isReady(), true)
})

test('a server whose idle connections were cut answers on new ones', { skip }, async () => {
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

test('idle connections that were lost are logged in a line each, without what they hold', { skip }, async () => {
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

test('a transaction whose connection is cut fails, and nothing of it is written', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  const insert = (tx: Transaction, name: string) => tx.insertInto('installation').values({ name, value: '' }).execute()

  const cutBeforeCommit = server.transaction(async (tx) => {
    await insert(tx, 'a')
    await cutConnections(url, `application_name = 'parley'`)
  })
  // Whether a commit came through is not known.
  await assert.rejects(cutBeforeCommit, (error) => !(error instanceof DatabaseUnavailable))
  const cutWithin = server.transaction(async (tx) => {
    await insert(tx, 'b')
    await cutConnections(url, `application_name = 'parley'`)
    await insert(tx, 'c')
  })
  await assert.rejects(cutWithin, DatabaseUnavailable)

  assert.deepEqual(await server.db.selectFrom('installation').select('name').execute(), [])
})

test('while PostgreSQL is away reads and writes say so, and a mistake does not', { skip }, async () => {
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

test('a server that another has replaced while its lock was cut is told to end, and writes nothing', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  const usurper = new pg.Client({ connectionString: url })
  await usurper.connect()
  const waiting = usurper.query('select pg_advisory_lock($1, 1)', [0x5061726c])

  await cutConnections(url, `application_name like 'parley, process%'`)
  await waiting
  // Until the server hears that its connection was cut, it has no reason to stop.
  while (await server.isReady()) await sleep(10)
  const writing = note(server, 'late')

  await assert.rejects(writing, /lock on the database was lost/)
  assert.equal(await server.isReady(), false)
  await usurper.end()
})

test('a database that cannot be reached is named, without its password', { skip }, async () => {
  const url = new URL(await sharedDatabaseUrl())
  url.pathname = '/missing'
  url.password = 'secret'

  await assert.rejects(openTestStorage({ url: url.href }), (error: Error) => {
    assert.match(error.message, /refuses missing: .*does not exist/)
    assert.doesNotMatch(error.message, /secret/)
    return true
  })
})
