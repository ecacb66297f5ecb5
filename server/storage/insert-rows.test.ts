import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStorage } from '../../test/storage.ts'
import { insertRows, insertRowsReturning } from './insert-rows.ts'

const names = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ name: `${number}`, value: `${-number}` }))

test('rows are inserted however many there are, and what was asked for comes back', async () => {
  await using storage = await openTestStorage()

  const [none, few, many] = await storage.transaction(async (tx) => [
    await insertRowsReturning(tx, 'installation', [], ['name']),
    await insertRowsReturning(tx, 'counters', [{ name: 'a', value: 5 }], ['value', 'name']),
    await insertRowsReturning(tx, 'installation', names(2531), ['name']),
  ])

  assert.deepEqual(none, [])
  assert.deepEqual(few, [{ value: 5, name: 'a' }])
  assert.deepEqual(
    many,
    names(2531).map(({ name }) => ({ name })),
  )
  const stored = await storage.db.selectFrom('installation').selectAll().execute()
  assert.equal(stored.length, 2531)
  assert.ok(stored.every(({ name, value }) => Number(name) === -Number(value)))
})

test('rows of other columns are another statement', async () => {
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
