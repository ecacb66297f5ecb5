import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import { defineCache } from './cache.ts'
import type { Db, Storage } from './storage.ts'

let loads = 0
beforeEach(() => {
  loads = 0
})

async function findValue(db: Db, name: string): Promise<string | null> {
  loads++
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

const valueCache = defineCache({ dependsOn: ['installation'], load: findValue, limit: 3 })

const write = (storage: Storage, name: string, value: string) =>
  storage.transaction((tx) =>
    tx
      .insertInto('installation')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute(),
  )

test('a loaded value is returned at once, without a query and without a promise', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')

  const first = await valueCache.get(storage.db, 'a')
  const second = valueCache.get(storage.db, 'a')

  assert.equal(first, '1')
  assert.equal(second, '1')
  assert.equal(valueCache.peek(storage.db, 'a'), '1')
  assert.equal(loads, 1)
})

test('the absence of a value is cached, too', async () => {
  await using storage = await openTestStorage()

  await valueCache.get(storage.db, 'a')

  assert.equal(valueCache.get(storage.db, 'a'), null)
  assert.equal(valueCache.peek(storage.db, 'b'), undefined)
})

test('several values are read at once and cached, unless they are so many that they would displace others', async () => {
  await using storage = await openTestStorage()
  for (const name of ['a', 'b', 'c']) await write(storage, name, '1')
  const severalCache = defineCache<string, string | null>({
    dependsOn: ['installation'],
    load: findValue,
    async loadSeveral(db, names) {
      loads++
      const rows = await db.selectFrom('installation').selectAll().where('name', 'in', names).execute()
      return rows.map(({ name, value }) => [name, value])
    },
    limit: 20,
  })
  await severalCache.get(storage.db, 'a')

  const values = await severalCache.getSeveral(storage.db, ['a', 'b', 'b', 'missing'])

  assert.deepEqual(values, ['1', '1'])
  assert.equal(severalCache.peek(storage.db, 'b'), '1')
  assert.equal(loads, 2)
  await severalCache.getSeveral(storage.db, ['c', 'missing', 'missing too'])
  assert.equal(severalCache.peek(storage.db, 'c'), undefined)
  await write(storage, 'b', '2')
  assert.deepEqual(await severalCache.getSeveral(storage.db, ['b']), ['2'])
})

test('a commit to a table that a cache depends on empties it; other commits do not', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')
  await valueCache.get(storage.db, 'a')

  await storage.transaction((tx) => tx.insertInto('counters').values({ name: 'other', value: 1 }).execute())
  const kept = valueCache.peek(storage.db, 'a')
  await write(storage, 'a', '2')

  assert.equal(kept, '1')
  assert.equal(valueCache.peek(storage.db, 'a'), undefined)
  assert.equal(await valueCache.get(storage.db, 'a'), '2')
})

test('the cache is out of date before the commit listeners run', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')
  await valueCache.get(storage.db, 'a')
  let seen: string | null | undefined = null
  storage.onCommit(() => {
    seen = valueCache.peek(storage.db, 'a')
  })

  await write(storage, 'a', '2')

  assert.equal(seen, undefined)
})

test('a transaction uses cached values until it writes; then it sees its own writes and caches nothing', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')
  await valueCache.get(storage.db, 'a')
  const seen: unknown[] = []

  const failing = storage.transaction(async (tx) => {
    seen.push(valueCache.get(tx.db, 'a'))
    await tx.updateTable('installation').set({ value: '2' }).execute()
    seen.push(valueCache.peek(tx.db, 'a'), await valueCache.get(tx.db, 'a'), valueCache.peek(storage.db, 'a'))
    throw new Error('undone')
  })

  await assert.rejects(failing, /undone/)
  assert.deepEqual(seen, ['1', undefined, '2', '1'])
  assert.equal(valueCache.get(storage.db, 'a'), '1')
})

test('a cache can be declared to be bypassed by transactions on PostgreSQL', async () => {
  await using storage = await openTestStorage()
  const freshCache = defineCache({
    dependsOn: ['installation'],
    isBypassedInTransactions: true,
    load: findValue,
    limit: 3,
  })
  await write(storage, 'a', '1')
  await write(storage, 'b', '1')
  await freshCache.get(storage.db, 'a')

  const seen = await storage.transaction(async (tx) => {
    const peeked = freshCache.peek(tx.db, 'a')
    return [peeked, await freshCache.get(tx.db, 'a'), await freshCache.get(tx.db, 'b')]
  })

  const mayHaveWaited = storage.db.dialect === 'postgres'
  assert.deepEqual(seen, [mayHaveWaited ? undefined : '1', '1', '1'])
  assert.equal(loads, mayHaveWaited ? 3 : 2)
  assert.equal(freshCache.peek(storage.db, 'a'), '1')
  assert.equal(freshCache.peek(storage.db, 'b'), mayHaveWaited ? undefined : '1')
})

test('a value that a transaction loads before it writes is cached for all', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')

  await storage.transaction((tx) => Promise.resolve(valueCache.get(tx.db, 'a')))

  assert.equal(valueCache.get(storage.db, 'a'), '1')
})

test('a load that started before its transaction wrote, and ended afterwards, is not cached', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')
  const gate = Promise.withResolvers<void>()
  const slowCache = defineCache({
    dependsOn: ['installation'],
    limit: 3,
    async load(db: Db, name: string) {
      await gate.promise
      return findValue(db, name)
    },
  })

  const failing = storage.transaction(async (tx) => {
    const loading = slowCache.get(tx.db, 'a')
    await tx.updateTable('installation').set({ value: '2' }).execute()
    gate.resolve()
    assert.equal(await loading, '2')
    throw new Error('undone')
  })

  await assert.rejects(failing, /undone/)
  assert.equal(await slowCache.get(storage.db, 'a'), '1')
})

test('concurrent requests for the same key share one load', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')

  const values = await Promise.all([1, 2, 3].map(() => valueCache.get(storage.db, 'a')))

  assert.deepEqual(values, ['1', '1', '1'])
  assert.equal(loads, 1)
})

test('a load during a commit is not cached, and later requests do not get its value', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')
  const [found, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slowCache = defineCache({
    dependsOn: ['installation'],
    limit: 3,
    async load(db: Db, name: string) {
      const value = await findValue(db, name)
      found.resolve()
      if (loads === 1) await gate.promise
      return value
    },
  })

  const early = slowCache.get(storage.db, 'a')
  await found.promise
  await write(storage, 'a', '2')
  const late = await slowCache.get(storage.db, 'a')
  gate.resolve()

  assert.equal(late, '2')
  assert.equal(await early, '1')
  assert.equal(slowCache.get(storage.db, 'a'), '2')
})

test('a failed load is not cached', async () => {
  await using storage = await openTestStorage()
  let isBroken = true
  const cache = defineCache({
    dependsOn: ['installation'],
    limit: 3,
    async load(_db: Db, _name: string) {
      if (isBroken) throw new Error('no answer')
      return 'fine'
    },
  })

  await assert.rejects(Promise.resolve(cache.get(storage.db, 'a')), /no answer/)
  isBroken = false

  assert.equal(await cache.get(storage.db, 'a'), 'fine')
})

test('a full cache drops the oldest value', async () => {
  await using storage = await openTestStorage()

  for (const name of ['a', 'b', 'c', 'd']) await valueCache.get(storage.db, name)

  const kept = ['a', 'b', 'c', 'd'].filter((name) => valueCache.peek(storage.db, name) !== undefined)
  assert.deepEqual(kept, ['b', 'c', 'd'])
})

test('storages that are open at the same time have separate caches', async () => {
  await using one = await openTestStorage()
  await using other = await openTestStorage()
  await write(one, 'a', 'of one')
  await write(other, 'a', 'of the other')

  const values = [await valueCache.get(one.db, 'a'), await valueCache.get(other.db, 'a')]

  assert.deepEqual(values, ['of one', 'of the other'])
})

test('a commit by another process empties every cache', async () => {
  const url = await sharedDatabaseUrl()
  await using server = await openTestStorage({ url })
  await using command = await openTestStorage({ url, serve: false })
  await write(server, 'a', '1')
  await valueCache.get(server.db, 'a')
  const noticed = new Promise<void>((resolve) => server.onOutsideCommit(resolve))

  await write(command, 'a', '2')
  await noticed

  assert.equal(await valueCache.get(server.db, 'a'), '2')
})

const rowCache = defineCache({ dependsOn: [], dependsOnRowsOf: ['installation'], load: findValue, limit: 3 })

test('only values found by key survive the insertion of rows', async () => {
  await using storage = await openTestStorage()
  await write(storage, 'a', '1')
  const kept: unknown[] = []
  const peekAfter = async (work: Promise<unknown>) => {
    await work
    kept.push(rowCache.peek(storage.db, 'a'))
    await rowCache.get(storage.db, 'a')
  }
  await rowCache.get(storage.db, 'a')

  const row = { name: 'b', value: '2' }
  await peekAfter(storage.transaction((tx) => tx.insertInto('installation').values(row).execute()))
  await peekAfter(write(storage, 'b', '3'))
  await peekAfter(storage.transaction((tx) => tx.updateTable('installation').set({ value: '4' }).execute()))
  await peekAfter(storage.transaction((tx) => tx.deleteFrom('installation').where('name', '=', 'b').execute()))

  assert.deepEqual(kept, ['1', undefined, undefined, undefined])
})

test('a missing row is looked up again when rows may have been inserted', async () => {
  await using storage = await openTestStorage()

  await rowCache.get(storage.db, 'a')
  await storage.transaction((tx) => tx.insertInto('installation').values({ name: 'a', value: '1' }).execute())

  assert.equal(await rowCache.get(storage.db, 'a'), '1')
})
