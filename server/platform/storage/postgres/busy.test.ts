import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { onPostgres } from '../../../../test/database.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../../test/storage.ts'
import { DatabaseUnavailable } from '../engine.ts'
import type { Storage } from '../storage.ts'
import { rethrowPostgresError } from './errors.ts'

const skip = !onPostgres && 'needs PostgreSQL'

/** Runs a statement of eleven seconds on each connection. Returns a function that waits for these statements. */
async function keepAllBusy(storage: Storage): Promise<() => Promise<unknown>> {
  const { promise: areAllBusy, resolve: noteAllBusy } = Promise.withResolvers<void>()
  let busy = 0
  const connection = Array.from({ length: 10 }, () =>
    storage.transaction(async (tx) => {
      busy += 1
      if (busy === 10) noteAllBusy()
      await tx.db.executeQuery(CompiledQuery.raw('select pg_sleep(11)'))
    }),
  )
  await areAllBusy
  return () => Promise.all(connection)
}

test('a request without a free connection for ten seconds fails as database unavailable', { skip }, async () => {
  await using server = await openTestStorage({ url: await sharedDatabaseUrl() })
  const read = () => server.db.selectFrom('installation').select('name').execute()
  const write = () =>
    server.transaction((tx) => tx.insertInto('installation').values({ name: 'late', value: '' }).execute())
  const untilFree = await keepAllBusy(server)

  const refused = await Promise.allSettled([read(), write()])
  await untilFree()

  assert.deepEqual(
    refused.map((one) => one.status === 'rejected' && one.reason instanceof DatabaseUnavailable),
    [true, true],
  )
  assert.deepEqual(await read(), [])
  await write()
})

test('a transaction that PostgreSQL terminated, because it was idle or canceled, fails as database unavailable', () => {
  for (const code of ['25P03', '25P04', '57014', '57P01', '53300', '08006']) {
    const ended = Object.assign(new pg.DatabaseError('terminating connection', 1, 'error'), { code })
    assert.throws(() => rethrowPostgresError(ended), DatabaseUnavailable)
  }
})
