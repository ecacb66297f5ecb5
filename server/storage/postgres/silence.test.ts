import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { activeSeconds } from '../../../test/active-time.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { onPostgres } from '../../../test/database.ts'
import { openDatabaseProxy } from '../../../test/database-proxy.ts'
import { closeLockConnections } from '../../../test/nodes/database-lock.ts'
import { openTestStorage, sharedDatabaseUrl, temporaryFolder } from '../../../test/storage.ts'
import { advanceCounter } from '../counters.ts'
import type { Transaction } from '../storage.ts'

const skip = !onPostgres && 'needs PostgreSQL'

const settingsOf = (DATABASE_URL: string, others: object = {}) =>
  completeSettings({ ...readSettings({}), DATABASE_URL, ...others })

test('a storage with silent connections closes within seconds, and pending statements fail', {
  skip,
}, async () => {
  await using wire = await openDatabaseProxy(await sharedDatabaseUrl())
  const { log, errors } = collectLog()
  const storage = await openTestStorage({ url: wire.url, log })
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()

  const writing = storage.transaction(async (tx) => {
    await tx.insertInto('installation').values({ name: 'a', value: '' }).execute()
    wire.silence()
    wire.swallow(true)
    begin()
    await tx.insertInto('installation').values({ name: 'b', value: '' }).execute()
  })
  const failed = assert.rejects(writing)
  await hasBegun
  const reads = Array.from({ length: 20 }, () => storage.db.selectFrom('installation').selectAll().execute())
  const unread = Promise.allSettled(reads)
  const seconds = await activeSeconds(() => storage.close())
  await failed

  assert.ok(seconds < 6, `${seconds} s`)
  assert.deepEqual(new Set((await unread).map(({ status }) => status)), new Set(['rejected']))
  assert.match(errors.map(({ message }) => message).join(), /PostgreSQL did not answer in time: .* aborted/)
})

for (const SEVERAL_NODES of [false, true]) {
  const what = SEVERAL_NODES ? 'a node' : 'a server that has the database to itself'
  test(`${what} whose connections all become silent fails pending statements, and uses new connections within seconds`, {
    skip,
  }, async () => {
    await using wire = await openDatabaseProxy(await sharedDatabaseUrl())
    const { log, entries } = collectLog()
    await using storage = await openTestStorage({ settings: settingsOf(wire.url, { SEVERAL_NODES }), log })
    const read = () => storage.db.selectFrom('installation').selectAll().execute()
    const advance = (tx: Transaction) => advanceCounter(tx, 'held', 1)
    // Each uses its own connection.
    await Promise.all([read(), storage.transaction(advance)])

    const unwritten = assert.rejects(
      storage.transaction(async (tx) => {
        await advance(tx)
        wire.silence()
        await advance(tx)
      }),
    )
    while (!wire.isSilent()) await sleep(10)
    const unread = assert.rejects(read())
    const seconds = await activeSeconds(async () => {
      await Promise.all([unread, unwritten])
      while (!(await storage.isReady())) await sleep(10)
    })

    // PostgreSQL keeps the exclusive lock for the silent connection for ten seconds.
    assert.ok(seconds < (SEVERAL_NODES ? 10 : 14), `${seconds} s`)
    assert.deepEqual(await read(), [])
    // The transaction on the silent connection held the row, and wrote nothing.
    assert.equal(await storage.transaction(advance), 2)
    assert.deepEqual(
      entries.map(({ message }) => message.slice(0, 31)),
      ['The connection that holds the l', 'The lock on the database is hel'],
    )
  })

  test(`${what} that lost its lock does not wait for other connections that may be lost as well`, {
    skip,
  }, async () => {
    const url = await sharedDatabaseUrl()
    await using wire = await openDatabaseProxy(url)
    await using storage = await openTestStorage({ settings: settingsOf(wire.url, { SEVERAL_NODES }) })
    await storage.isReady()

    wire.silence({ of: 'statements' })
    const unread = assert.rejects(storage.db.selectFrom('installation').selectAll().execute())
    await closeLockConnections(url)
    const seconds = await activeSeconds(() => unread)

    assert.ok(seconds < 7, `${seconds} s`)
  })

  test(`${what} stops within ten seconds when the database is silent, and reports aborted statements`, {
    skip,
  }, async () => {
    await using wire = await openDatabaseProxy(await sharedDatabaseUrl())
    const { log, errors } = collectLog()
    const app = await openApp({
      settings: settingsOf(wire.url, { SEVERAL_NODES, DATA_DIR: await temporaryFolder() }),
      log,
    })
    app.services.keyUses.recordUse(1)

    wire.silence()
    wire.swallow(true)
    const seconds = await activeSeconds(() => app.close().catch(() => {}))

    assert.ok(seconds < 10, `${seconds} s`)
    assert.match(errors.map(({ message }) => message).join(), /pending changes are not written/)
  })
}
