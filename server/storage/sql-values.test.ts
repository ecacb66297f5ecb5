import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestStorage } from '../../test/storage.ts'
import { stringList, stringsIn } from './sql.ts'
import type { Storage } from './storage.ts'

async function storageWith(...names: string[]): Promise<Storage> {
  const storage = await openTestStorage()
  await storage.transaction(async (tx) => {
    for (const name of names) await tx.insertInto('installation').values({ name, value: '' }).execute()
  })
  return storage
}

test('characters that a database cannot store become U+FFFD, and the same text finds them', async () => {
  const cases = { 'a\0b': 'a\ufffdb', 'lone \ud800': 'lone \ufffd', '\udc00\0': '\ufffd\ufffd', 'whole 😀': 'whole 😀' }
  await using storage = await storageWith(...Object.keys(cases))

  for (const [given, stored] of Object.entries(cases)) {
    const found = await storage.db.selectFrom('installation').select('name').where('name', '=', given).execute()
    assert.deepEqual(found, [{ name: stored }])
  }
})

test('a list of strings finds the rows of each string', async () => {
  const names = ['a\0b', 'lone \ud800', 'whole 😀']
  await using storage = await storageWith(...names)
  const { db } = storage

  const inList = stringsIn(db.dialect, stringList([...names, 'no\0body']))
  const found = await db.selectFrom('installation').select('name').where('name', 'in', inList).execute()

  assert.deepEqual(found.map(({ name }) => name).toSorted(), ['a\ufffdb', 'lone \ufffd', 'whole 😀'])
})

test('a lookup by a number out of range finds nothing', async () => {
  await using storage = await storageWith()
  await storage.transaction((tx) => tx.insertInto('counters').values({ name: 'a', value: 5 }).execute())
  const find = (value: number | bigint) =>
    storage.db
      .selectFrom('counters')
      .select('name')
      .where('value', '=', value as number)
      .execute()

  for (const value of [2 ** 53, 2 ** 63, 2 ** 64, -(2 ** 70), 1e300, 2n ** 62n, 2n ** 70n, -(2n ** 70n)]) {
    assert.deepEqual(await find(value), [], String(value))
  }
  assert.deepEqual(await find(5), [{ name: 'a' }])
  assert.deepEqual(await find(5n), [{ name: 'a' }])
})

test('booleans are 1 and 0, in both directions', async () => {
  await using storage = await storageWith('a')
  await storage.transaction(async (tx) => {
    await tx
      .insertInto('counters')
      .values([
        { name: 'yes', value: true as unknown as number },
        { name: 'no', value: false as unknown as number },
      ])
      .execute()
  })

  const stored = await storage.db.selectFrom('counters').select(['name', 'value']).orderBy('value').execute()
  const computed = await storage.db
    .selectFrom('installation')
    .select((eb) => [eb('name', '=', 'a').as('is'), eb('name', '=', 'b').as('isNot')])
    .executeTakeFirst()

  assert.deepEqual(stored, [
    { name: 'no', value: 0 },
    { name: 'yes', value: 1 },
  ])
  assert.deepEqual(computed, { is: 1, isNot: 0 })
})

test('all numbers are returned as numbers: counts, sums and times with fractions', async () => {
  await using storage = await storageWith('a', 'b')
  await storage.transaction(async (tx) => {
    await tx.insertInto('counters').values({ name: 'big', value: Number.MAX_SAFE_INTEGER }).execute()
    await tx.insertInto('activityIntervals').values({ userId: 1, startedAt: 1893837600.123456, endedAt: 2 }).execute()
  })

  const { db } = storage
  const count = await db.selectFrom('installation').select(db.fn.countAll().as('count')).executeTakeFirst()
  const sum = await db.selectFrom('counters').select(db.fn.sum('value').as('sum')).executeTakeFirst()
  const times = await db.selectFrom('activityIntervals').selectAll().execute()

  assert.deepEqual(count, { count: 2 })
  assert.deepEqual(sum, { sum: Number.MAX_SAFE_INTEGER })
  assert.deepEqual(times, [{ userId: 1, startedAt: 1893837600.123456, endedAt: 2 }])
})

test('an empty list contains nothing, and everything is outside of it', async () => {
  await using storage = await storageWith('a')
  const names = () => storage.db.selectFrom('installation').select('name')

  assert.deepEqual(await names().where('name', 'in', []).execute(), [])
  assert.deepEqual(await names().where('name', 'not in', []).execute(), [{ name: 'a' }])
  assert.deepEqual(await names().where('name', 'in', ['a', 'b']).execute(), [{ name: 'a' }])
})

test('text is compared and ordered by its bytes', async () => {
  await using storage = await storageWith('b', 'B', 'ä', 'a', 'é', 'e\u0301', '😀', '\uffee')

  const rows = await storage.db.selectFrom('installation').select('name').orderBy('name').execute()

  assert.deepEqual(
    rows.map((row) => row.name),
    ['B', 'a', 'b', 'e\u0301', 'ä', 'é', '\uffee', '😀'],
  )
})

test('an integer column refuses a fraction', async () => {
  await using storage = await storageWith()

  const storing = storage.transaction((tx) => tx.insertInto('counters').values({ name: 'a', value: 1.5 }).execute())

  await assert.rejects(storing)
})

test('writes return the number of changed rows', async () => {
  await using storage = await storageWith('a', 'b', 'c')

  const [updated, deleted] = await storage.transaction(async (tx) => [
    await tx.updateTable('installation').set({ value: 'x' }).where('name', '!=', 'a').executeTakeFirst(),
    await tx.deleteFrom('installation').where('value', '=', 'x').executeTakeFirst(),
  ])

  assert.equal(updated.numUpdatedRows, 2n)
  assert.equal(deleted.numDeletedRows, 2n)
})

test('a row lock can be requested on both databases', async () => {
  await using storage = await storageWith('a')

  const locked = await storage.transaction((tx) =>
    tx.db.selectFrom('installation').select('name').where('name', '=', 'a').forUpdate().execute(),
  )

  assert.deepEqual(locked, [{ name: 'a' }])
})

test('the same statement returns the same rows, however often it is run', async () => {
  await using storage = await storageWith('a')

  for (let run = 0; run < 10; run++) {
    const rows = await storage.db
      .selectFrom('installation')
      .select(['name', sql<string>`value || ${'!'}`.as('loud')])
      .execute()
    assert.deepEqual(rows, [{ name: 'a', loud: '!' }])
  }
})
