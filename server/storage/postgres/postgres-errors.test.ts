import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { onPostgres } from '../../../test/database.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { DatabaseUnavailable, type Storage } from '../storage.ts'
import { rethrowPostgresError } from './postgres.ts'

const skip = !onPostgres && 'needs PostgreSQL'

/** Runs statements on each connection, for about thirty seconds at most. Returns a function that ends them sooner. */
async function keepAllBusy(storage: Storage): Promise<() => Promise<unknown>> {
  const { promise: areAllBusy, resolve: noteAllBusy } = Promise.withResolvers<void>()
  let busy = 0
  let isOver = false
  const transactions = Array.from({ length: 10 }, () =>
    storage.transaction(async (tx) => {
      busy += 1
      if (busy === 10) noteAllBusy()
      for (let count = 0; count < 60 && !isOver; count += 1)
        await tx.db.executeQuery(CompiledQuery.raw('select pg_sleep(0.5)'))
    }),
  )
  await areAllBusy
  return () => {
    isOver = true
    return Promise.all(transactions)
  }
}

test('a request without a free connection for ten seconds fails as database unavailable', { skip }, async () => {
  await using server = await openTestStorage({ url: await sharedDatabaseUrl() })
  const read = () => server.db.selectFrom('installation').select('name').execute()
  const write = () =>
    server.transaction((tx) => tx.insertInto('installation').values({ name: 'late', value: '' }).execute())
  const free = await keepAllBusy(server)

  const refused = await Promise.allSettled([read(), write()])
  await free()

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
