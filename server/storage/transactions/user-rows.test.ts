import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { QueryResult } from 'kysely'
import { saveUser, saveUserFields } from '#people/user-queries.ts'
import { saveRealm } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { openNode, waitUntil } from '../../../test/nodes/node-storage.ts'
import { options } from '../../../test/nodes/nodes.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import { defineCache } from '../cache.ts'
import type { Commit, Db, Storage, Transaction } from '../storage.ts'
import { UserRowsWriter } from './user-rows.ts'

let loads = 0
const updates: (readonly number[])[] = []
beforeEach(() => {
  loads = 0
  updates.length = 0
})

async function readNames(db: Db, realmId: number): Promise<string> {
  const rows = await db.selectFrom('users').select('fullName').where('realmId', '=', realmId).orderBy('id').execute()
  return rows.map((row) => row.fullName).join()
}

const names = defineCache<number, string>({
  dependsOn: ['users'],
  limit: 10,
  load(db, realmId) {
    loads += 1
    return readNames(db, realmId)
  },
  update(db, realmId, _, userIds) {
    updates.push(userIds)
    return readNames(db, realmId)
  },
})

type World = { realmId: number; ada: number; ben: number }

const newUser = (realmId: number, name: string) => {
  return { realmId, deliveryEmail: `${name}@example.com`, fullName: name, role: Role.member }
}

const prepare = (storage: Storage): Promise<World> =>
  storage.transaction(async (tx) => {
    const { id: realmId } = await saveRealm(tx, { subdomain: 'tea', name: 'Tea' })
    const [ada, ben] = [await saveUser(tx, newUser(realmId, 'ada')), await saveUser(tx, newUser(realmId, 'ben'))]
    return { realmId, ada: ada.id, ben: ben.id }
  })

const rename = (tx: Transaction, id: number, fullName: string) => saveUserFields(tx, id, { fullName })

/** Runs the transaction, and returns the users that its commit names; undefined if any row may have changed. */
async function namedBy(storage: Storage, work: (tx: Transaction) => Promise<unknown>) {
  const commits: Commit[] = []
  storage.onCommit((commit) => commits.push(commit))
  await storage.transaction(work)
  return commits[0]?.userRows.get('users')
}

test('a value that is updated many times takes the room of one', async () => {
  await using storage = await openTestStorage()
  const { realmId, ada } = await prepare(storage)
  for (let number = 1; number <= 10; number += 1) {
    await storage.transaction((tx) => rename(tx, ada, `Ada ${number}`))
    await names.get(storage.db, realmId)
  }

  await names.get(storage.db, realmId + 1)

  assert.equal(names.peek(storage.db, realmId), 'Ada 10,ben')
})

test('a commit names the users whose rows its statements return', async () => {
  await using storage = await openTestStorage()
  const { realmId, ada, ben } = await prepare(storage)

  const named = await namedBy(storage, async (tx) => {
    await rename(tx, ada, 'Ada')
    await rename(tx, ben, 'Ben')
    await rename(tx, -1, 'Nobody')
  })
  await using other = await openTestStorage()
  const world = await prepare(other)
  const created = await namedBy(other, (tx) => saveUser(tx, newUser(world.realmId, 'cleo')))

  assert.deepEqual(named, [ada, ben])
  assert.deepEqual(created, [world.ben + 1])
  assert.equal(await names.get(storage.db, realmId), 'Ada,Ben')
})

test('a commit names nobody if a statement does not return the users, returns too many, or has not ended', async () => {
  await using storage = await openTestStorage()
  const { ada } = await prepare(storage)
  const unreturned = await namedBy(storage, async (tx) => {
    await rename(tx, ada, 'Ada')
    await tx.updateTable('users').set({ timezone: 'Asia/Tokyo' }).where('id', '=', ada).execute()
  })
  const namedAfter = (result: QueryResult<unknown> | Promise<QueryResult<unknown>>) =>
    storage.transaction(async (tx) => {
      const writer = new UserRowsWriter()
      writer.watch(tx.updateTable('users').set({ timezone: '' }).returning('id').compile(), result)
      return writer.named().get('users')?.length
    })
  const rowsOf = (length: number) => ({ rows: Array.from({ length }, (_, id) => ({ id })) })

  const counts = [await namedAfter(rowsOf(500)), await namedAfter(rowsOf(501)), await namedAfter(new Promise(() => {}))]

  assert.equal(unreturned, undefined)
  assert.deepEqual(counts, [500, undefined, undefined])
})

test('a value is updated before its next use if rows of known users have changed, and loaded again otherwise', async () => {
  await using storage = await openTestStorage()
  const { realmId, ada, ben } = await prepare(storage)
  const seen = [await names.get(storage.db, realmId)]

  await storage.transaction((tx) => rename(tx, ada, 'Ada'))
  await storage.transaction((tx) => rename(tx, ben, 'Ben'))
  const peeked = names.peek(storage.db, realmId)
  seen.push(await names.get(storage.db, realmId), names.get(storage.db, realmId) as string)
  const workByThen = [loads, updates.splice(0)]
  await storage.transaction((tx) => tx.updateTable('users').set({ fullName: 'x' }).execute())
  seen.push(await names.get(storage.db, realmId))

  assert.deepEqual(seen, ['ada,ben', 'Ada,Ben', 'Ada,Ben', 'x,x'])
  assert.equal(peeked, undefined)
  assert.deepEqual(workByThen, [1, [[ada, ben]]])
  assert.deepEqual([loads, updates], [2, []])
})

test('a value that many commits have passed by is loaded again', async () => {
  await using storage = await openTestStorage()
  const { realmId, ada } = await prepare(storage)
  await names.get(storage.db, realmId)

  for (let turn = 0; turn <= 300; turn += 1) await storage.transaction((tx) => rename(tx, ada, `Ada ${turn}`))

  assert.equal(await names.get(storage.db, realmId), 'Ada 300,ben')
  assert.deepEqual([loads, updates], [2, []])
})

test('a transaction that has changed a row sees its own change, and a rollback leaves the value as it was', async () => {
  await using storage = await openTestStorage()
  const { realmId, ada } = await prepare(storage)
  await names.get(storage.db, realmId)
  let within = ''

  const failing = storage.transaction(async (tx) => {
    await rename(tx, ada, 'Ada')
    within = await names.get(tx.db, realmId)
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)

  assert.equal(within, 'Ada,ben')
  assert.equal(names.peek(storage.db, realmId), 'ada,ben')
})

test('a request after a commit does not get a value whose reading began before it', async () => {
  await using storage = await openTestStorage()
  const { realmId, ada } = await prepare(storage)
  const [read, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  async function readSlowly(db: Db, id: number) {
    reads += 1
    const value = await readNames(db, id)
    read.resolve()
    if (reads === 1) await gate.promise
    return value
  }
  const slow = defineCache<number, string>({ dependsOn: ['users'], limit: 10, load: readSlowly, update: readSlowly })

  const early = slow.get(storage.db, realmId)
  await read.promise
  await storage.transaction((tx) => rename(tx, ada, 'Ada'))
  const late = slow.get(storage.db, realmId)
  gate.resolve()

  assert.deepEqual([await early, await late, reads], ['ada,ben', 'Ada,ben', 2])
  assert.equal(slow.get(storage.db, realmId), 'Ada,ben')
})

test('other nodes learn which users changed, and update their values', options, async () => {
  const url = await sharedDatabaseUrl()
  await using one = await openNode(url)
  await using other = await openNode(url)
  const received: unknown[] = []
  other.onCommit(({ written, userRows }) => written.has('users') && received.push(userRows.get('users')))
  const { realmId, ada } = await prepare(one)
  await waitUntil(() => received.length > 0)
  assert.equal(await names.get(other.db, realmId), 'ada,ben')
  const loadsBefore = loads

  await one.transaction((tx) => rename(tx, ada, 'Ada'))
  await waitUntil(async () => (await names.get(other.db, realmId)) === 'Ada,ben')

  assert.deepEqual(received.at(-1), [ada])
  assert.deepEqual(updates.at(-1)?.at(-1), ada)
  assert.equal(loads, loadsBefore)
})
