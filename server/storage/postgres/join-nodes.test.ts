import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { collectLog } from '../../../test/collected-log.ts'
import { onPostgres } from '../../../test/database.ts'
import { cutPlaces, deafen } from '../../../test/deafen.ts'
import { openTestStorage, sharedDatabaseUrl, temporaryFolder } from '../../../test/storage.ts'
import { openApp } from '../../app.ts'
import { testClock } from '../../base/clock.ts'
import { openLog } from '../../base/log.ts'
import { completeSettings, readSettings } from '../../config.ts'
import { defineCache } from '../cache.ts'
import { StorageUnavailable } from '../engine.ts'
import type { Storage } from '../storage.ts'
import { connectByName, LOCK } from './lock.ts'
import { limitSilence } from './place.ts'
import { openWire } from './silent-wire.ts'

const options = { skip: !onPostgres && 'several nodes need PostgreSQL' }

const settingsOf = (url: string, SEVERAL_NODES = true, DATA_DIR = '/nowhere') =>
  completeSettings({ ...readSettings({}), DATABASE_URL: url, SEVERAL_NODES, DATA_DIR })

const openNode = (url: string) => openTestStorage({ settings: settingsOf(url) })

const cachedValue = defineCache<string, string | null>({
  dependsOn: ['installation'],
  limit: 10,
  async load(db, name) {
    const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
    return row?.value ?? null
  },
})

const write = ({ transaction }: Storage, name: string, value: string) =>
  transaction((tx) =>
    tx
      .insertInto('installation')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute(),
  )

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000 && !(await isSo()); tries++) await sleep(10)
  assert.ok(await isSo())
}

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it was let in'),
    (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable, String(error))
      return error.message
    },
  )

test('what one node commits the others hear: which tables, in whose log, and what it tells them', options, async () => {
  const url = await sharedDatabaseUrl()
  await using one = await openNode(url)
  await using other = await openNode(url)
  const heard: unknown[] = []
  const unknown: unknown[] = []
  other.onCommit(({ written, changed, emittedIn }) => heard.push([[...written].sort(), [...changed], [...emittedIn]]))
  other.onNews('queues-ended', (ids) => heard.push(ids))
  other.onNews('queues-taken', (ids) => heard.push(ids))
  for (const storage of [one, other]) storage.onOutsideCommit(() => unknown.push('anything'))
  one.onNews('queues-ended', () => heard.push('of itself'))

  await one.transaction(async (tx) => {
    await tx.updateTable('installation').set({ value: 'x' }).execute()
    tx.emit(7, { type: 'hello' }, [1])
    tx.tellNodes('queues-ended', ['a'])
    tx.tellNodes('queues-ended', ['b'])
  })
  await until(() => heard.length === 2)
  await one.transaction(async (tx) => void (await tx.db.selectFrom('users').selectAll().execute()))
  await one.transaction(async (tx) => tx.tellNodes('queues-taken', ['last']))
  await until(() => heard.length >= 4)

  assert.deepEqual(heard, [
    [['counters', 'events', 'installation'], ['installation', 'counters'], [7]],
    ['a', 'b'],
    [[], [], []],
    ['last'],
  ])
  assert.deepEqual(unknown, [])
})

test('what is more than a notification carries is told as a commit of anything', options, async () => {
  const url = await sharedDatabaseUrl()
  await using one = await openNode(url)
  await using other = await openNode(url)
  const heard = new Promise<void>((resolve) => other.onOutsideCommit(resolve))

  const ids = Array.from({ length: 1000 }, (_, at) => `queue-${at}`)
  await one.transaction(async (tx) => tx.tellNodes('queues-ended', ids))

  await heard
})

test('what a node has kept goes when another has written it', options, async () => {
  const url = await sharedDatabaseUrl()
  await using one = await openNode(url)
  await using other = await openNode(url)
  await write(one, 'a', '1')
  await until(async () => (await cachedValue.get(other.db, 'a')) === '1')

  await write(one, 'a', '2')

  await until(() => cachedValue.peek(other.db, 'a') === undefined)
  assert.equal(await cachedValue.get(other.db, 'a'), '2')
})

test('while it hears nothing of the others a node uses nothing that it kept, and writes nothing', options, async () => {
  const url = await sharedDatabaseUrl()
  await using node = await openNode(url)
  await using sql = await connect(url)
  await write(node, 'a', '1')
  await cachedValue.get(node.db, 'a')
  const unheard = new Promise<void>((resolve) => node.onOutsideCommit(resolve))

  const letIn = await deafen(url)
  await until(() => !node.db.home.hearsNodes)
  await sql.query(`update installation set value = '2' where name = 'a'`)
  const kept = cachedValue.peek(node.db, 'a')
  const read = await cachedValue.get(node.db, 'a')
  const isReady = await node.isReady()
  const written = await write(node, 'a', '3').catch((error) => error.message)
  await letIn()
  await unheard
  await write(node, 'a', '4')

  assert.deepEqual([kept, read, isReady], [undefined, '2', false])
  assert.match(written, /lock on the database was lost/)
  assert.equal(await cachedValue.get(node.db, 'a'), '4')
  assert.equal(cachedValue.get(node.db, 'a'), '4')
})

test('a connection that drops silently is noticed and made again', options, async () => {
  const url = await sharedDatabaseUrl()
  await using wire = await openWire(url)
  await using one = await openNode(url)
  await using other = await openNode(wire.url)
  const heard = new Promise((resolve) => other.onCommit(resolve))
  await write(one, 'a', '1')
  await heard
  await cachedValue.get(other.db, 'a')

  wire.fallSilent({ of: 'places' })
  await write(one, 'a', '2')
  assert.equal(cachedValue.peek(other.db, 'a'), '1')
  await until(async () => (await cachedValue.get(other.db, 'a')) === '2')
  await until(() => other.db.home.hearsNodes)
  await write(one, 'a', '3')
  await until(async () => (await cachedValue.get(other.db, 'a')) === '3')

  assert.equal(await other.isReady(), true)
})

test('a connection that is never answered when it is made again is given up for another', options, async () => {
  const url = await sharedDatabaseUrl()
  await using wire = await openWire(url)
  await using node = await openNode(wire.url)
  await node.isReady()

  wire.swallow(true)
  wire.fallSilent({ of: 'places' })
  await until(() => wire.swallowed() > 0)
  wire.swallow(false)
  await until(() => node.db.home.hearsNodes)

  assert.equal(await node.isReady(), true)
})

test('PostgreSQL soon lets go of a machine that died, and not before its node has given up', options, async (t) => {
  const node = await connectByName(await sharedDatabaseUrl())
  await limitSilence(node)
  const { rows } = await node.query(
    `select name, setting::integer from pg_settings where name like 'tcp\\_%' and inet_server_addr() is not null`,
  )
  await node.end()
  if (rows.length === 0) return t.skip('PostgreSQL is reached over a socket of this machine')
  const set = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))

  const silence = set.tcp_keepalives_idle + set.tcp_keepalives_interval * set.tcp_keepalives_count
  for (const seconds of [silence, set.tcp_user_timeout / 1000]) assert.ok(seconds > 5 && seconds < 15, String(seconds))
})

test(
  'a node that stood still uses nothing that it kept, and leads nobody, before it hears of the others',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    await using wire = await openWire(url)
    await using still = await openNode(wire.url)
    await using other = await openNode(url)
    await write(still, 'a', '1')
    await cachedValue.get(still.db, 'a')
    const before = [cachedValue.peek(still.db, 'a'), still.leads()]

    wire.fallSilent({ of: 'places' })
    await write(other, 'a', '2')
    standStill(4100)
    const after = [cachedValue.peek(still.db, 'a'), still.leads()]
    await until(async () => (await still.isReady()) && cachedValue.get(still.db, 'a') === '2')

    assert.deepEqual(before, ['1', true])
    assert.deepEqual(after, [undefined, false])
  },
)

test(
  'a node that stood still takes the answers for lost that are there no sooner than they are read',
  options,
  async () => {
    const { log, entries } = collectLog()
    await using node = await openTestStorage({ settings: settingsOf(await sharedDatabaseUrl()), log })

    standStill(4100)
    const written = write(node, 'a', '1')
    // The node has asked for a sign of life first.
    await Promise.resolve()
    standStill(3500)
    await written

    assert.deepEqual(entries, [])
  },
)

test(
  'a node that stands still in a transaction holds up the others for ten seconds, and writes nothing',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    await using still = await openNode(url)
    await using other = await openNode(url)
    await write(still, 'a', '1')
    const { promise: isOver, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: noteWritten } = Promise.withResolvers<void>()

    const standing = still.transaction(async (tx) => {
      await tx.updateTable('installation').set({ value: '2' }).execute()
      noteWritten()
      await isOver
    })
    await hasWritten
    const start = performance.now()
    await write(other, 'a', '3')
    const seconds = (performance.now() - start) / 1000
    goOn()

    await assert.rejects(standing)
    assert.ok(seconds < 14, `${seconds} s`)
    assert.equal(await cachedValue.get(other.db, 'a'), '3')
  },
)

test(
  'a node whose clock differs from that of PostgreSQL says so once, and once that it does no longer',
  options,
  async () => {
    const clock = testClock()
    await clock.advance(-60)
    const { log, entries } = collectLog()
    await using _node = await openTestStorage({ settings: settingsOf(await sharedDatabaseUrl()), clock, log })

    await sleep(1500)
    clock.reset()
    await until(() => entries.length > 1)

    assert.deepEqual(
      entries.map(({ message, seconds }) => [message.slice(0, 35), seconds]),
      [
        ['The clock of this machine differs f', -60],
        ['The clock of this machine is togeth', undefined],
      ],
    )
  },
)

test('one node leads, and when it ends another', options, async () => {
  const url = await sharedDatabaseUrl()
  const one = await openNode(url)
  await using other = await openNode(url)
  const before = [one.leads(), other.leads()]
  const led = new Promise<void>((resolve) => other.onLead(resolve))

  await one.close()
  await led

  assert.deepEqual(before, [true, false])
  assert.equal(other.leads(), true)
})

test('only the first node prepares the database, before another is let in', options, async () => {
  const url = await sharedDatabaseUrl()
  const order: string[] = []
  const open = (name: string) =>
    openTestStorage({
      settings: settingsOf(url),
      async prepare(storage) {
        order.push(`${name} begins`)
        await sleep(300)
        await write(storage, 'a', name)
        order.push(`${name} ends`)
      },
    }).then((storage) => {
      order.push('somebody serves')
      return storage
    })

  const opened = await Promise.all([open('one'), open('other')])
  for (const storage of opened) await storage.close()

  const [first] = (order[0] ?? '').split(' ')
  assert.deepEqual(order, [`${first} begins`, `${first} ends`, 'somebody serves', 'somebody serves'])
})

test('a node waits for as long as another prepares the database', options, async () => {
  const url = await sharedDatabaseUrl()
  const { log, entries } = collectLog()
  let isPrepared = false
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()

  const first = openTestStorage({
    settings: settingsOf(url),
    async prepare() {
      begin()
      await sleep(7000)
      isPrepared = true
    },
  })
  await hasBegun
  await using _second = await openTestStorage({ settings: settingsOf(url), log })
  await using _first = await first

  assert.equal(isPrepared, true)
  assert.deepEqual(
    entries.map(({ message }) => message),
    ['Another node migrates or prepares the database: this one waits for it'],
  )
})

test(
  'a node that loses its place while it prepares the database has it alone again, or does not start',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    await using sql = await connect(url)
    const findHolder = async () => {
      const { rows } = await sql.query(`select pid, mode from pg_locks where locktype = 'advisory' and objid = 1`)
      return { pid: rows[0]?.pid, mode: rows[0]?.mode }
    }
    let inBetween: unknown

    await using node = await openTestStorage({
      settings: settingsOf(url),
      async prepare(storage) {
        const { pid: before } = await findHolder()
        await cutPlaces(url)
        await until(async () => ![before, undefined].includes((await findHolder()).pid))
        inBetween = (await findHolder()).mode
        await until(() => storage.isReady())
      },
    })
    const { mode: afterwards } = await findHolder()
    const lost = openTestStorage({
      settings: settingsOf(await sharedDatabaseUrl()),
      prepare: (storage) => cutPlaces(storage.db.settings.DATABASE_URL),
    })

    await assert.rejects(lost)
    assert.deepEqual([inBetween, afterwards], ['ExclusiveLock', 'ShareLock'])
    assert.equal(await node.isReady(), true)
  },
)

test('a database that a newer program has migrated while its lock was waited for is refused', options, async () => {
  const url = await sharedDatabaseUrl()
  await (await openNode(url)).close()
  await using newer = await connect(url)
  await newer.query('select pg_advisory_lock($1, $2)', [...LOCK])

  const refused = refusal(openNode(url))
  await sleep(500)
  await newer.query(
    'update migrations set "number" = "number" + 1 where "number" = (select max("number") from migrations)',
  )
  await newer.query('select pg_advisory_unlock_all()')

  assert.match(await refused, /newer than this program/)
})

test('who does not share is refused beside nodes, and a node beside whom does not share', options, async () => {
  const url = await sharedDatabaseUrl()
  const node = await openNode(url)
  const alone = await refusal(openTestStorage({ url }))
  await node.close()
  const server = await openTestStorage({ url })
  const beside = await refusal(openNode(url))
  await server.close()

  for (const message of [alone, beside]) assert.match(message, /process \d+.*SEVERAL_NODES=true/)
})

test('a node of another version than the others is refused, and told what to do', options, async () => {
  const url = await sharedDatabaseUrl()
  await using _node = await openNode(url)
  await using sql = await connect(url)
  const { rows } = await sql.query('select max("number") as last from migrations')
  const last = Number(rows[0].last)

  await sql.query('update migrations set "number" = $1 where "number" = $2', [last + 1, last])
  const older = await refusal(openNode(url))
  await sql.query('delete from migrations where "number" = $1', [last + 1])
  const newer = await refusal(openNode(url))

  assert.match(older, /newer than this program/)
  assert.match(newer, new RegExp(`migration ${last - 1}.*needs ${last}.*Stop all nodes`))
})

test('a folder that the other nodes do not have is refused', options, async () => {
  const [url, shared, different] = [await sharedDatabaseUrl(), await temporaryFolder(), await temporaryFolder()]
  const open = (folder: string) => openApp({ settings: settingsOf(url, true, folder), log: openLog('silent') })
  const one = await open(shared)
  const other = await open(shared)

  const refused = await refusal(open(different))
  await one.close()
  await other.close()
  const refusedAlone = await refusal(open(different))

  for (const message of [refused, refusedAlone]) assert.match(message, /DATA_DIR.*is not the folder.*folder-id/)
})

test('SQLite is refused', async () => {
  for (const url of ['memory', `${await temporaryFolder()}/parley.db`])
    assert.match(await refusal(openNode(url)), /SEVERAL_NODES needs PostgreSQL/)
})
