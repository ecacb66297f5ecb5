import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '#app.ts'
import { openLog } from '#lib/log.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { closeLockConnections, untilLockIsAwaited } from '../../../test/nodes/database-lock.ts'
import { connectTo, openNode, settingsOf, waitUntil, write } from '../../../test/nodes/node-storage.ts'
import { options, testNodes } from '../../../test/nodes/nodes.ts'
import { openTestStorage, sharedDatabaseUrl, temporaryFolder } from '../../../test/storage.ts'
import { MIGRATIONS, NEWEST } from '../migrations.ts'
import { migratorOver } from '../schema.ts'
import { CannotOpenStorage } from '../storage.ts'
import { SERVING_LOCK } from './exclusive-lock.ts'
import { PREPARING_LOCK } from './join-nodes.ts'

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it was let in'),
    (error: unknown) => {
      assert.ok(error instanceof CannotOpenStorage, String(error))
      return error.message
    },
  )

testNodes('one node is the leader, and another takes over when it ends', async (bus) => {
  const url = await sharedDatabaseUrl()
  const one = await openNode(url, bus)
  await using other = await openNode(url, bus)
  const before = [one.isLeader(), other.isLeader()]
  const led = new Promise<void>((resolve) => other.onBecomeLeader(resolve))

  await one.close()
  await led

  assert.deepEqual(before, [true, false])
  assert.equal(other.isLeader(), true)
})

testNodes('only the first node prepares the database, before another is admitted', async (bus) => {
  const url = await sharedDatabaseUrl()
  const order: string[] = []
  const open = (name: string) =>
    openTestStorage({
      settings: settingsOf(url, undefined, bus),
      async prepare(storage) {
        order.push(`${name} begins`)
        await sleep(300)
        await write(storage, 'a', name)
        order.push(`${name} ends`)
      },
    }).then((storage) => {
      order.push('database served')
      return storage
    })

  const opened = await Promise.all([open('one'), open('other')])
  for (const storage of opened) await storage.close()

  const [first] = (order[0] ?? '').split(' ')
  assert.deepEqual(order, [`${first} begins`, `${first} ends`, 'database served', 'database served'])
})

testNodes('a node waits while another prepares the database', async (bus) => {
  const url = await sharedDatabaseUrl()
  const { log, entries } = collectLog()
  let isPrepared = false
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()

  const first = openTestStorage({
    settings: settingsOf(url, undefined, bus),
    async prepare() {
      begin()
      while (entries.length === 0) await sleep(50)
      isPrepared = true
    },
  })
  await hasBegun
  await using _second = await openTestStorage({ settings: settingsOf(url, undefined, bus), log })
  await using _first = await first

  assert.equal(isPrepared, true)
  assert.deepEqual(
    entries.map(({ message }) => message),
    ['Another node is migrating or preparing the database: waiting for it'],
  )
})

test(
  'a node that loses its lock while preparing the database gets it back exclusively, or does not start',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    await using sql = await connectTo(url)
    const findHolder = async () => {
      const { rows } = await sql.query(
        `select pid, mode from pg_locks join pg_database on oid = database
          where locktype = 'advisory' and objid = 1 and datname = current_database()`,
      )
      return { pid: rows[0]?.pid, mode: rows[0]?.mode }
    }
    let inBetween: unknown

    await using node = await openTestStorage({
      settings: settingsOf(url),
      async prepare(storage) {
        const { pid: before } = await findHolder()
        await closeLockConnections(url)
        await waitUntil(async () => ![before, undefined].includes((await findHolder()).pid))
        inBetween = (await findHolder()).mode
        await waitUntil(() => storage.isReady())
      },
    })
    const { mode: afterwards } = await findHolder()
    const lost = openTestStorage({
      settings: settingsOf(await sharedDatabaseUrl()),
      prepare: (storage) => closeLockConnections(storage.db.settings.DATABASE_URL),
    })

    await assert.rejects(lost)
    assert.deepEqual([inBetween, afterwards], ['ExclusiveLock', 'ShareLock'])
    assert.equal(await node.isReady(), true)
  },
)

test(
  'an exclusive lock is granted only after a terminated preparing connection has released all its locks',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    await using ending = await connectTo(url)
    await ending.query('select pg_advisory_lock($1, $2)', [...PREPARING_LOCK])
    let isPrepared = false

    const opening = openTestStorage({
      settings: settingsOf(url),
      async prepare() {
        isPrepared = true
      },
    })
    await untilLockIsAwaited(ending)
    await ending.query('select pg_advisory_unlock_all()')
    await using _first = await opening
    await using other = await openNode(url)

    assert.equal(isPrepared, true)
    assert.equal(await other.isReady(), true)
  },
)

test('a database that a newer program migrated during the wait for the lock is refused', options, async () => {
  const url = await sharedDatabaseUrl()
  await (await openNode(url)).close()
  await using newer = await connectTo(url)
  await newer.query('select pg_advisory_lock($1, $2)', [...SERVING_LOCK])

  const refused = refusal(openNode(url))
  await sleep(500)
  await newer.query(
    'update migrations set "number" = "number" + 1, "oldestProgram" = "number" + 1 where "number" = (select max("number") from migrations)',
  )
  await newer.query('select pg_advisory_unlock_all()')

  assert.match(await refused, /newer than this program/)
})

test('a server without SEVERAL_NODES is refused beside nodes, and a node beside such a server', options, async () => {
  const url = await sharedDatabaseUrl()
  const node = await openNode(url)
  const alone = await refusal(openTestStorage({ url }))
  await node.close()
  const server = await openTestStorage({ url })
  const beside = await refusal(openNode(url))
  await server.close()

  for (const message of [alone, beside]) assert.match(message, /process \d+.*SEVERAL_NODES=true/)
})

test('a node whose version cannot serve beside the others is refused with instructions', options, async () => {
  const [url, newerUrl] = [await sharedDatabaseUrl(), await sharedDatabaseUrl()]
  await (await openNode(newerUrl)).close()
  await using newer = await connectTo(newerUrl)
  await using sql = await connectTo(url)
  const olderNode = async (name: string) => {
    const client = await connectTo(url)
    await client.query(`set application_name = '${name}, process 1 on db'`)
    await client.query('select pg_advisory_lock_shared($1, $2)', [...SERVING_LOCK])
    return client
  }
  const [before, missing] = [MIGRATIONS.slice(0, 20), MIGRATIONS.slice(20)]
  const migrator = migratorOver('postgres', async (query) => (await sql.query(query.sql)) as { rows: unknown[] })
  await sql.query('create table migrations ("number" bigint primary key, "name" text, "appliedAt" double precision)')
  for (const { name, apply } of before) {
    await apply(migrator)
    await sql.query('insert into migrations values ($1, $2, 0)', [Number.parseInt(name, 10), name])
  }

  await newer.query('update migrations set "number" = 999, "oldestProgram" = 999 where "number" = $1', [NEWEST])
  const older = await refusal(openNode(newerUrl))
  const refused: string[] = []
  for (const name of ['parley', 'parley 66']) {
    await using _node = await olderNode(name)
    refused.push(await refusal(openNode(url)))
  }
  await using alone = await openNode(url)

  assert.match(older, /newer than this program/)
  assert.match(refused[0] ?? '', /last migration is unknown.*Stop all nodes/)
  assert.match(refused[1] ?? '', new RegExp(`last migration is 66.*needs ${NEWEST}.*[Ss]top all nodes`))
  assert.deepEqual(
    alone.migrated,
    missing.map(({ name }) => name),
  )
})

testNodes('two nodes that start at the same time on an empty database and folder both serve', async (bus) => {
  const settings = settingsOf(await sharedDatabaseUrl(), await temporaryFolder(), bus)
  const log = openLog('silent')

  const [one, other] = await Promise.all([openApp({ settings, log }), openApp({ settings, log })])
  const migrated = [one, other].map(({ storage }) => storage.migrated.length > 0)
  const areReady = await Promise.all([one, other].map(({ storage }) => storage.isReady()))
  const haveOneSecret = one.services.secret.equals(other.services.secret)
  await one.close()
  await other.close()

  assert.deepEqual(migrated.sort(), [false, true])
  assert.deepEqual([areReady, haveOneSecret], [[true, true], true])
})

testNodes('a folder that the other nodes do not share is refused', async (bus) => {
  const [url, shared, different] = [await sharedDatabaseUrl(), await temporaryFolder(), await temporaryFolder()]
  const open = (folder: string) => openApp({ settings: settingsOf(url, folder, bus), log: openLog('silent') })
  const one = await open(shared)
  const other = await open(shared)

  const refused = await refusal(open(different))
  await one.close()
  await other.close()
  const refusedAlone = await refusal(open(different))

  for (const message of [refused, refusedAlone]) assert.match(message, /DATA_DIR.*is not the folder.*folder-id/)
})

test('several nodes cannot use SQLite', async () => {
  for (const url of ['memory', `${await temporaryFolder()}/parley.db`])
    assert.match(await refusal(openNode(url)), /SEVERAL_NODES needs PostgreSQL/)
})
