import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { natsAbsent } from '../../../test/nats.ts'
import { cachedValue, connectTo, openNode, settingsOf, waitUntil, write } from '../../../test/nodes/node-storage.ts'
import { natsSettings, options } from '../../../test/nodes/nodes.ts'
import { pgbouncerAbsent, startPgbouncer } from '../../../test/pgbouncer.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { advanceCounter } from '../counters.ts'
import { keepsSessions } from '../inspect.ts'
import type { Storage } from '../storage.ts'
import { takeBackupLock } from './exclusive-lock.ts'

const skip = options.skip || natsAbsent || pgbouncerAbsent

const advance = (node: Storage) => node.transaction((tx) => advanceCounter(tx, 'shared', 1))

test('two nodes with NATS_URL serve over a pooler in transaction mode, from the first migration on, beside a command', {
  skip,
}, async () => {
  const direct = await sharedDatabaseUrl()
  const url = await startPgbouncer(direct, 4)
  const bus = await natsSettings()
  await using sql = await connectTo(direct)
  await using one = await openNode(url, bus)
  await using other = await openNode(url, bus)
  await using command = await openTestStorage({
    settings: { ...settingsOf(url, undefined, bus), SEVERAL_NODES: false },
    serve: false,
  })

  const numbers = await Promise.all(Array.from({ length: 150 }, (_, at) => advance([one, other, command][at % 3]!)))
  for (let at = 0; at < 20; at++) {
    await write(one, 'a', String(at))
    await waitUntil(async () => (await cachedValue.get(other.db, 'a')) === String(at))
  }
  const limit = await one.transaction(async ({ db }) => {
    const query = CompiledQuery.raw(`select current_setting('idle_in_transaction_session_timeout') as "limit"`)
    return (await db.executeQuery(query)).rows
  })
  const limitsOfCommand = await command.transaction(async ({ db }) => {
    const names = ['statement_timeout', 'transaction_timeout'].map((name) => `current_setting('${name}') as ${name}`)
    return (await db.executeQuery(CompiledQuery.raw(`select ${names.join(', ')}`))).rows
  })
  const { rows: held } = await sql.query(
    `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  )

  assert.deepEqual(
    numbers.toSorted((before, after) => before - after),
    Array.from({ length: 150 }, (_, at) => at + 1),
  )
  assert.deepEqual(limit, [{ limit: '8s' }])
  assert.deepEqual(limitsOfCommand, [{ statement_timeout: '0', transaction_timeout: '0' }])
  assert.equal(await keepsSessions(url), false)
  assert.deepEqual(held, [])
  assert.deepEqual([one.isLeader(), other.isLeader()], [true, false])
})

test('the lock of backups is held over a pooler, and released', { skip }, async () => {
  const url = await startPgbouncer(await sharedDatabaseUrl(), 4)
  const held = await takeBackupLock(url)
  const refused = await takeBackupLock(url)
  if ('release' in held) await held.release()
  const afterwards = await takeBackupLock(url)
  if ('release' in afterwards) await afterwards.release()

  assert.deepEqual(
    [held, refused, afterwards].map((taken) => 'release' in taken),
    [true, false, true],
  )
})
