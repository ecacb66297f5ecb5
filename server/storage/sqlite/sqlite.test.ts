import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { DiskFull } from '#lib/errors.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { openTestStorage, temporaryFolder } from '../../../test/storage.ts'
import type { Storage, Transaction } from '../storage.ts'
import { takeSqliteLock } from './lock.ts'
import { requireSqliteVersion } from './sqlite.ts'

const newFile = async () => join(await temporaryFolder(), 'parley.db')

const save = (tx: Transaction, name: string, value = '') =>
  tx.insertInto('installation').values({ name, value }).execute()

async function names({ db }: Pick<Storage, 'db'>): Promise<string[]> {
  const rows = await db.selectFrom('installation').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

async function pragma({ db }: Pick<Storage, 'db'>, text: string): Promise<unknown> {
  const { rows } = await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(`pragma ${text}`))
  return Object.values(rows[0] ?? {})[0]
}

test('a version of SQLite that may lose data is refused, later ones are accepted', () => {
  for (const version of ['3.51.2', '3.50.9', '2.99.99', '3']) {
    assert.throws(() => requireSqliteVersion(version), new RegExp(`3\\.51\\.3 or newer is needed.*${version}$`))
  }
  for (const version of ['3.51.3', '3.52.0', '3.100.1', '4.0.0']) requireSqliteVersion(version)
})

test('SQLite waits for the disk at each commit of a command; a server waits for it off the event loop', async () => {
  const url = await newFile()
  await using server = await openTestStorage({ url })
  await using command = await openTestStorage({ url, serve: false })
  const settingsOf = (storage: Storage) =>
    storage.transaction(async (tx) => [
      await pragma(tx, 'journal_mode'),
      await pragma(tx, 'synchronous'),
      await pragma(tx, 'wal_autocheckpoint'),
      await pragma(tx, 'foreign_keys'),
    ])

  const [normal, full] = [1, 2]
  assert.deepEqual(await settingsOf(server), ['wal', normal, 0, 1])
  assert.deepEqual(await settingsOf(command), ['wal', full, 1000, 1])
})

test('all databases in memory have the schema of a migrated file, and share no rows', async () => {
  const schemaOf = async ({ db }: Storage) =>
    (await db.executeQuery(CompiledQuery.raw('select "type", "name", "sql" from "sqlite_schema"'))).rows
  await using first = await openTestStorage({ url: 'memory' })
  await first.transaction((tx) => save(tx, 'a'))

  await using second = await openTestStorage({ url: 'memory' })
  await using file = await openTestStorage({ url: await newFile() })
  await second.transaction((tx) => save(tx, 'b'))
  const failing = second.transaction(async (tx) => {
    await save(tx, 'c')
    throw new Error('failed')
  })

  await assert.rejects(failing, /^Error: failed$/)
  assert.deepEqual([await names(first), await names(second)], [['a'], ['b']])
  const schemas = [await schemaOf(first), await schemaOf(second), await schemaOf(file)]
  assert.ok((schemas[0]?.length ?? 0) > 100)
  for (const schema of schemas) assert.deepEqual(schema, schemas[0])
  assert.deepEqual([second.migrated, file.migrated], [first.migrated, first.migrated])
  assert.equal(await second.transaction((tx) => pragma(tx, 'foreign_keys')), 1)
})

test('on a file, a read does not wait for an open transaction and does not see it', async () => {
  await using storage = await openTestStorage({ url: await newFile() })

  const during = await storage.transaction(async (tx) => {
    await save(tx, 'a')
    return await names(storage)
  })

  assert.deepEqual(during, [])
  assert.deepEqual(await names(storage), ['a'])
})

test('on a file, the reads of one turn see one state, and commits of this process at once', async () => {
  const url = await newFile()
  await using storage = await openTestStorage({ url })
  using other = new DatabaseSync(url)
  await turn()

  const before = await names(storage)
  other.exec(`insert into "installation" values ('a', '')`)
  const duringTurn = await names(storage)
  await storage.transaction((tx) => save(tx, 'b'))
  const afterCommit = await names(storage)
  other.exec(`insert into "installation" values ('c', '')`)
  await turn()

  assert.deepEqual([before, duringTurn, afterCommit], [[], [], ['a', 'b']])
  assert.deepEqual(await names(storage), ['a', 'b', 'c'])
})

test('on a file, nothing can be written outside a transaction', async () => {
  await using storage = await openTestStorage({ url: await newFile() })

  const write = async () => storage.db.executeQuery(CompiledQuery.raw(`insert into "installation" values ('a', '')`))

  await assert.rejects(write, /readonly/)
})

test('while a command locks the file, transactions wait for it and everything else continues', async () => {
  const url = await newFile()
  await using storage = await openTestStorage({ url })
  const command = new DatabaseSync(url)
  command.exec(`begin immediate; insert into "installation" values ('by the command', '')`)
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)

  const waiting = storage.transaction((tx) => save(tx, 'by the server'))
  while (ticks < 10) await sleep(5)
  const during = await names(storage)
  command.exec('commit')
  command.close()
  await waiting
  clearInterval(timer)

  assert.deepEqual(during, [])
  assert.deepEqual(await names(storage), ['by the command', 'by the server'])
})

test('a command that would migrate waits until another process has done so', async () => {
  const path = await newFile()
  // The strictest lock, which the other process holds while it stores its id.
  const other = new DatabaseSync(`${path}.lock`)
  other.exec('begin exclusive')
  let attempts = 0

  const lock = await takeSqliteLock(path, async () => ++attempts < 3)

  other.close()
  assert.deepEqual([lock, attempts], [null, 3])
})

test('in memory, a read waits for the open transaction, and runs before the next one', async () => {
  await using storage = await openTestStorage({ url: 'memory' })
  const reads: Promise<string[]>[] = []

  const first = storage.transaction(async (tx) => {
    reads.push(names(storage))
    await save(tx, 'first')
    await save(tx, 'first, again')
  })
  const second = storage.transaction((tx) => save(tx, 'second'))
  await Promise.all([first, second])

  assert.deepEqual(await reads[0], ['first', 'first, again'])
})

test('in memory, a read that waited for a failed transaction does not see it', async () => {
  await using storage = await openTestStorage({ url: 'memory' })
  let during: Promise<string[]> | undefined

  const failing = storage.transaction(async (tx) => {
    await save(tx, 'a')
    during = names(storage)
    throw new Error('undone')
  })

  await assert.rejects(failing, /undone/)
  assert.deepEqual(await during, [])
})

test('a full disk rolls back the transaction, and the server continues', async () => {
  let fatal: unknown
  await using storage = await openTestStorage({ url: await newFile(), onFatal: (error) => (fatal = error) })
  const fill = (value: string) =>
    storage.transaction(async (tx) => {
      await pragma(tx, `max_page_count = ${Number(await pragma(tx, 'page_count')) + 5}`)
      await save(tx, 'little')
      tx.emit(1, anyEvent('filled'), [1])
      await save(tx, 'much', value)
    })

  await assert.rejects(fill('x'.repeat(200_000)), DiskFull)
  const left = await names(storage)
  await fill('x')

  assert.deepEqual(left, [])
  assert.deepEqual(await names(storage), ['little', 'much'])
  assert.deepEqual(await storage.db.selectFrom('events').select('id').execute(), [{ id: 1 }])
  assert.equal(fatal, undefined)
  assert.equal(await storage.isReady(), true)
})

test('a transaction that continues after it was ended by a full disk writes nothing', async () => {
  await using storage = await openTestStorage({ url: await newFile() })

  const stubborn = storage.transaction(async (tx) => {
    await pragma(tx, `max_page_count = ${await pragma(tx, 'page_count')}`)
    await save(tx, 'much', 'x'.repeat(200_000)).catch(() => undefined)
    await save(tx, 'little').catch(() => undefined)
  })

  await assert.rejects(stubborn, DiskFull)
  assert.deepEqual(await names(storage), [])
})

test('a transaction that SQLite rolled back is not committed, and nothing is written after its end', async () => {
  await using storage = await openTestStorage({ url: await newFile() })
  const ending = (after: (tx: Transaction) => Promise<unknown>) =>
    storage.transaction(async (tx) => {
      await save(tx, 'before')
      await tx.db.executeQuery(CompiledQuery.raw('rollback'))
      await after(tx)
    })

  await assert.rejects(
    ending(async () => {}),
    /ended the transaction by itself/,
  )
  await assert.rejects(
    ending((tx) => save(tx, 'after')),
    /ended the transaction by itself/,
  )
  await storage.transaction((tx) => save(tx, 'next'))

  assert.deepEqual(await names(storage), ['next'])
})

test('when the file is damaged the server is asked to end, and nothing more is written', async () => {
  const path = await newFile()
  const fatal: unknown[] = []
  const first = await openTestStorage({ url: path })
  await first.transaction(async (tx) => {
    for (let row = 0; row < 500; row++) await save(tx, `row ${row}`, 'x'.repeat(100))
  })
  await first.close()
  await using storage = await openTestStorage({ url: path, onFatal: (error) => fatal.push(error) })
  damage(path)

  const writing = () =>
    storage.transaction(async (tx) => {
      for (let row = 0; row < 500; row++) {
        await tx.updateTable('installation').set({ value: '' }).where('name', '=', `row ${row}`).execute()
      }
    })

  await assert.rejects(writing(), /malformed/)
  await assert.rejects(writing(), /nothing more is written/)
  assert.equal(fatal.length, 1)
  assert.equal(await storage.isReady(), false)
})

/** Overwrites every page except the first one, because the first page identifies the file. */
function damage(path: string): void {
  const pageSize = 4096
  const rest = statSync(path).size - pageSize
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(rest, 0xff), 0, rest, pageSize)
  closeSync(file)
}

test('more statements than a connection keeps prepared still return their own results', async () => {
  await using storage = await openTestStorage({ url: 'memory' })
  const ask = (number: number) =>
    storage.db.selectNoFrom(sql<number>`${sql.lit(number)} + ${1}`.as(`answer${number}`)).executeTakeFirstOrThrow()

  for (const number of [...Array(1000).keys(), 0, 999, 500]) {
    assert.deepEqual(await ask(number), { [`answer${number}`]: number + 1 })
  }
})
