import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collectLog } from '../../../test/collected-log.ts'
import { type HeldSyncs, heldSyncs } from '../../../test/held-syncs.ts'
import { openTestStorage, temporaryFolder } from '../../../test/storage.ts'
import { defineCache } from '../cache.ts'
import type { Storage, Transaction } from '../storage.ts'

const newFile = async () => join(await temporaryFolder(), 'parley.db')

const save = (tx: Transaction, name: string) => tx.insertInto('installation').values({ name, value: '' }).execute()

async function names({ db }: Pick<Storage, 'db'>): Promise<string> {
  const rows = await db.selectFrom('installation').select('name').orderBy('name').execute()
  return rows.map((row) => row.name).join(' ')
}

async function openHeld(disk: HeldSyncs = heldSyncs(), url?: string) {
  const fatal: unknown[] = []
  const onFatal = (error: unknown) => void fatal.push(error)
  const storage = await openTestStorage({ url: url ?? (await newFile()), sqliteLog: disk.sqliteLog, onFatal })
  return { disk, storage, fatal }
}

/** Records the outcome of each promise in `outcomes`. */
function follow(promises: Record<string, Promise<unknown>>, outcomes: string[] = []): string[] {
  for (const [name, promise] of Object.entries(promises))
    promise.then(
      () => outcomes.push(`${name} done`),
      (error: Error) => outcomes.push(`${name} failed: ${error.message}`),
    )
  return outcomes
}

const someTurns = async () => {
  for (let turns = 0; turns < 10; turns += 1) await turn()
}

test('until a commit is durable it is not announced, and reads see the state before it', async () => {
  const { disk, storage } = await openHeld()
  await using _ = storage
  const events: string[] = []
  storage.onCommit(({ written }) => void events.push([...written].join()))

  const connection = disk.hold()
  const outcomes = follow({ a: storage.transaction((tx) => save(tx, 'a')) })
  await connection
  await someTurns()
  const during = [await names(storage), ...outcomes, ...events]
  disk.release()
  await storage.transaction(async () => undefined)

  assert.deepEqual(during, [''])
  assert.deepEqual([await names(storage), ...outcomes, events[0]], ['a', 'a done', 'installation'])
})

test('transactions that begin before a commit is durable see it and continue, but their outcomes wait until it is', async () => {
  const { disk, storage } = await openHeld()
  await using _ = storage
  const seen: string[] = []
  const look = async (tx: Transaction) => void seen.push(await names(tx))

  const connection = disk.hold()
  const outcomes = follow({ a: storage.transaction((tx) => save(tx, 'a')) })
  await connection
  follow(
    {
      reader: storage.transaction(look),
      refused: storage.transaction(async (tx) => {
        await look(tx)
        throw new Error('a is taken')
      }),
      b: storage.transaction(async (tx) => {
        await look(tx)
        await save(tx, 'b')
      }),
    },
    outcomes,
  )
  await someTurns()
  const during = [...outcomes]
  disk.release()
  await storage.transaction(look)

  assert.deepEqual(during, [])
  assert.deepEqual(seen, ['a', 'a', 'a', 'a b'])
  assert.equal(await names(storage), 'a b')
})

test('a refusal also waits if its transaction does not share a commit', async () => {
  const { disk, storage } = await openHeld()
  await using _ = storage
  const connection = disk.hold()
  const saving = storage.transaction((tx) => save(tx, 'a'))
  await connection

  const outcomes = follow({
    refused: storage.transaction(async () => {
      throw new Error('a is taken')
    }),
  })
  await someTurns()
  const during = [...outcomes]
  disk.release()
  await saving
  await storage.transaction(async () => undefined)

  assert.deepEqual(during, [])
  assert.deepEqual(outcomes, ['refused failed: a is taken'])
})

test('a transaction bypasses the caches of tables whose last commit is not durable', async () => {
  const { disk, storage } = await openHeld()
  await using _ = storage
  const kept = defineCache<string, string>({
    dependsOn: ['installation'],
    limit: 10,
    load: async (db) => names({ db }),
  })
  await kept.get(storage.db, 'names')

  const connection = disk.hold()
  const saving = storage.transaction((tx) => save(tx, 'a'))
  await connection
  const inTransaction = Promise.withResolvers<string>()
  const looking = storage.transaction(async (tx) => inTransaction.resolve(await kept.get(tx.db, 'names')))
  const during = [await inTransaction.promise, await kept.get(storage.db, 'names')]
  disk.release()
  await Promise.all([saving, looking])

  assert.deepEqual(during, ['a', ''])
  assert.equal(await kept.get(storage.db, 'names'), 'a')
})

test('more transactions than fit into one commit all succeed on a slow disk', async () => {
  const { disk, storage } = await openHeld()
  await using _ = storage
  const connection = disk.hold()
  const saving = Array.from({ length: 250 }, (_, at) => storage.transaction((tx) => save(tx, `${1000 + at}`)))
  await connection
  await someTurns()
  disk.release()

  await Promise.all(saving)

  assert.equal((await names(storage)).split(' ').length, 250)
})

test('a commit of a command is announced once reads see it', async () => {
  const url = await newFile()
  const { disk, storage } = await openHeld(heldSyncs(), url)
  await using _ = storage
  using command = new DatabaseSync(url)
  const observed: Promise<string>[] = []
  storage.onOutsideCommit(() => void observed.push(names(storage)))

  const connection = disk.hold()
  const saving = storage.transaction((tx) => save(tx, 'a'))
  await connection
  command.exec(`insert into "installation" values ('by the command', '')`)
  const outcomes = follow({ b: storage.transaction((tx) => save(tx, 'b')) })
  await someTurns()
  const during = [...outcomes, await names(storage), observed.length]
  disk.release()
  await saving
  await storage.transaction(async () => undefined)

  assert.deepEqual(during, ['', 0])
  assert.deepEqual(await Promise.all(observed), ['a by the command'])
  assert.equal(await names(storage), 'a b by the command')
})

test('when the disk fails the server is asked to end, and only durable writes are acknowledged', async () => {
  const { disk, storage, fatal } = await openHeld()
  await using _ = storage
  const connection = disk.hold()
  const outcomes = follow({ a: storage.transaction((tx) => save(tx, 'a')) })
  await connection
  follow({ b: storage.transaction((tx) => save(tx, 'b')) }, outcomes)
  await someTurns()

  disk.fail(new Error('EIO'))
  await someTurns()
  const afterwards = storage.transaction((tx) => save(tx, 'c'))

  await assert.rejects(afterwards, /nothing more is written/)
  assert.deepEqual(outcomes, ['a failed: EIO', 'b failed: The database has failed; nothing more is written'])
  assert.deepEqual(fatal, [new Error('EIO')])
  assert.equal(await storage.isReady(), false)
})

test('pending writes become durable before the storage closes', async () => {
  const url = await newFile()
  const { disk, storage } = await openHeld(heldSyncs(), url)
  const connection = disk.hold()
  const outcomes = follow({ a: storage.transaction((tx) => save(tx, 'a')) })
  await connection
  follow({ b: storage.transaction((tx) => save(tx, 'b')), closing: storage.close() }, outcomes)
  await someTurns()
  const during = [...outcomes]
  disk.release()
  await storage.close()

  assert.deepEqual(during, [])
  await using reopened = await openTestStorage({ url })
  assert.equal(await names(reopened), 'a b')
})

test('the log is copied into the database and restarts, even under constant writes', async () => {
  const url = await newFile()
  const { storage } = await openHeld(heldSyncs({ checkpointAfter: 50 }), url)
  await using _ = storage
  const renderers = Array.from({ length: 4 }, async (_, writer) => {
    for (let run = 0; run < 150; run += 1) await storage.transaction((tx) => save(tx, `${writer} ${run}`))
  })

  await Promise.all(renderers)

  // 600 rows in some 150 commits of several pages each.
  assert.ok(statSync(`${url}-wal`).size < 200 * 4120, `${statSync(`${url}-wal`).size} bytes`)
  using other = new DatabaseSync(url, { readOnly: true })
  assert.equal(other.prepare('select count(*) as count from installation').get()?.['count'], 600)
})

test('a checkpoint that fails is logged, and writes continue', async () => {
  const { log, entries } = collectLog()
  const openThread = () => ({ run: () => Promise.reject(new Error('no thread')), close: async () => undefined })
  const sqliteLog = { checkpointAfter: 1, openThread }
  await using storage = await openTestStorage({ url: await newFile(), log, sqliteLog })

  for (const name of ['a', 'b']) await storage.transaction((tx) => save(tx, name))
  await someTurns()

  assert.equal(await names(storage), 'a b')
  assert.match(entries[0]?.message ?? '', /could not be copied/)
})

test('a checkpoint that waits for the disk blocks writes but not reads', async () => {
  const { disk, storage } = await openHeld(heldSyncs({ checkpointAfter: 1 }))
  await using _ = storage
  await storage.transaction((tx) => save(tx, 'a'))
  // The restarted log is synced next.
  const connection = disk.hold()
  await connection
  const outcomes = follow({ b: storage.transaction((tx) => save(tx, 'b')) })
  await someTurns()
  const during = [...outcomes, await names(storage)]
  disk.release()
  await storage.transaction(async () => undefined)

  assert.deepEqual(during, ['a'])
  assert.equal(await names(storage), 'a b')
})

test('a closed storage leaves no log behind', async () => {
  const url = await newFile()
  const { storage } = await openHeld(heldSyncs({ checkpointAfter: 1 }), url)
  await storage.transaction((tx) => save(tx, 'a'))

  await storage.close()

  assert.deepEqual([existsSync(`${url}-wal`), existsSync(`${url}-shm`)], [false, false])
})
