import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStorage } from '../../test/storage.ts'
import { insertRows, insertRowsInTurn, insertRowsWithIds } from './sql.ts'

const names = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ name: `${number}`, value: `${-number}` }))

const realms = (first: number, count: number) =>
  Array.from({ length: count }, (_, number) => {
    const subdomain = String(first + number)
    return { subdomain, name: subdomain, createdAt: 1, settings: '{}' }
  })

test('rows get ascending ids, however many there are, and whatever was deleted before', async () => {
  await using storage = await openTestStorage()
  const insert = (first: number, count: number) =>
    storage.transaction((tx) => insertRowsWithIds(tx, 'realms', realms(first, count)))

  const none = await insert(0, 0)
  const first = await insert(0, 7)
  await storage.transaction((tx) =>
    tx
      .deleteFrom('realms')
      .where('id', '>=', first[5] as number)
      .execute(),
  )
  const many = await insert(7, 2531)

  const stored = await storage.db.selectFrom('realms').select(['id', 'subdomain']).orderBy('id').execute()
  assert.deepEqual(none, [])
  assert.deepEqual(
    stored.map(({ id }) => id),
    [...first.slice(0, 5), ...many],
  )
  assert.deepEqual(
    stored.slice(5).map(({ subdomain }) => Number(subdomain)),
    realms(7, 2531).map(({ name }) => Number(name)),
  )
  assert.ok((many[0] as number) > (first[6] as number))
})

test('any number of rows is inserted', async () => {
  await using storage = await openTestStorage()

  await storage.transaction(async (tx) => {
    await insertRowsInTurn(tx, 'installation', [])
    await insertRowsInTurn(tx, 'installation', names(2531))
  })

  const stored = await storage.db.selectFrom('installation').selectAll().execute()
  assert.equal(stored.length, 2531)
  assert.ok(stored.every(({ name, value }) => Number(name) === -Number(value)))
})

test('rows with other columns use another statement', async () => {
  await using storage = await openTestStorage()
  const given = { realmId: 1, createdAt: 1, type: 'a', payload: '{}', audience: '[]' }

  await storage.transaction(async (tx) => {
    insertRows(tx, 'events', [{ id: 1, ...given }])
    insertRows(tx, 'events', [{ ...given, id: 2 }])
  })

  const stored = await storage.db.selectFrom('events').select(['id', 'realmId', 'type']).orderBy('id').execute()
  assert.deepEqual(stored, [
    { id: 1, realmId: 1, type: 'a' },
    { id: 2, realmId: 1, type: 'a' },
  ])
})

test('a transaction that inserts rows counts as a commit to their table', async () => {
  await using storage = await openTestStorage()
  const written: string[][] = []
  storage.onCommit((commit) => written.push([...commit.written]))

  await storage.transaction(async (tx) => insertRows(tx, 'installation', names(1)))

  assert.deepEqual(written, [['installation']])
})
