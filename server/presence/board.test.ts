import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { saveUserFields } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { RunTransaction } from '#storage/storage.ts'
import { waitUntil } from '../../test/nodes/node-storage.ts'
import {
  closePresenceServer,
  createUsers,
  NOW,
  openPresenceServer,
  type PresenceServer,
  report,
} from '../../test/presence-server.ts'
import { recordEvents } from '../../test/recorded-events.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import { makeRealmBoard } from './board.ts'
import { openPresenceBoard } from './open-board.ts'

const idOf = async ({ presence }: PresenceServer, { realmId, id }: Actor) =>
  (await presence.forRealm(realmId)).find(id)?.updateId

const storedRows = ({ storage }: PresenceServer) =>
  storage.db
    .selectFrom('presences')
    .select(['userId', 'lastActiveAt', 'lastConnectedAt', 'updateId'])
    .orderBy('updateId')
    .execute()

const failing: RunTransaction = () => Promise.reject(new Error('the disk is full'))

test('after a clean stop, update ids continue without a gap and every report is stored', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openPresenceServer(url)
  const [ada, ben] = (await createUsers(first, 2)) as [Actor, Actor]
  await report(first, ada, 'idle')
  await report(first, ben, 'idle')
  await first.clock.advance(60)
  await report(first, ada, 'idle')
  await closePresenceServer(first)

  const second = await openPresenceServer(url, { now: NOW + 120 })
  const stored = await storedRows(second)
  await report(second, ben, 'active')

  assert.deepEqual(stored, [
    { userId: ben.id, lastActiveAt: null, lastConnectedAt: NOW, updateId: 2 },
    { userId: ada.id, lastActiveAt: null, lastConnectedAt: NOW + 60, updateId: 3 },
  ])
  assert.equal(await idOf(second, ben), 4)
  await closePresenceServer(second)
})

test('ids are taken up to the ceiling, and above the ids that another process has reserved', () => {
  const board = makeRealmBoard(1, [], 5)
  const take = (count: number) => Array.from({ length: count }, () => board.takeId())

  const withoutReserve = take(1)
  board.raiseCeiling(5, 7)
  const reserved = take(3)
  board.raiseCeiling(20, 30)
  const besides = take(1)
  board.releaseReserve()
  const released = take(1)

  assert.deepEqual([withoutReserve, reserved, besides, released], [[null], [6, 7, null], [21], [null]])
})

test('an id taken after unused ids were returned is not used again', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openPresenceServer(url)
  const [ada, ben] = (await createUsers(first, 2)) as [Actor, Actor]
  await report(first, ada, 'active')
  await first.presence.close()
  await report(first, ben, 'active')
  const givenLate = await idOf(first, ben)
  await first.storage.close()

  const second = await openPresenceServer(url, { now: NOW + 60 })
  await report(second, ada, 'active')

  assert.deepEqual([givenLate, await idOf(second, ada)], [2, 1002])
  await closePresenceServer(second)
})

test('ids that another process has reserved are skipped', async () => {
  const url = await sharedDatabaseUrl()
  const server = await openPresenceServer(url)
  const [ada, ben] = (await createUsers(server, 2)) as [Actor, Actor]
  await report(server, ada, 'active')
  const beside = await openPresenceServer(url, { serve: false })
  await report(beside, ben, 'active')

  await server.presence.reserveIds(await server.presence.forRealm(ada.realmId))
  await server.clock.advance(60)
  await report(server, ada, 'active')

  assert.deepEqual([await idOf(beside, ben), await idOf(server, ada)], [1001, 2001])
  for (const one of [beside, server]) await closePresenceServer(one)
})

test('a stop without any report leaves the ids unchanged', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openPresenceServer(url)
  const [ada] = (await createUsers(first, 1)) as [Actor]
  await report(first, ada, 'active')
  await closePresenceServer(first)

  const second = await openPresenceServer(url)
  await second.presence.forRealm(ada.realmId)
  await closePresenceServer(second)
  const third = await openPresenceServer(url, { now: NOW + 60 })
  await report(third, ada, 'active')

  assert.equal(await idOf(third, ada), 2)
  await closePresenceServer(third)
})

test('after a crash no update id is used twice', async () => {
  const url = await sharedDatabaseUrl()
  const crashed = await openPresenceServer(url)
  const [ada, ben] = (await createUsers(crashed, 2)) as [Actor, Actor]
  await report(crashed, ada, 'active')
  await crashed.clock.advance(60)
  await report(crashed, ada, 'active')
  const given = await idOf(crashed, ada)

  const next = await openPresenceServer(url, { serve: false, now: NOW + 120 })
  await report(next, ben, 'active')

  assert.equal(given, 2)
  assert.equal(await idOf(next, ben), 1001)
  for (const server of [next, crashed]) await closePresenceServer(server)
})

test('a report by which a user comes online is durable at once, others a second later, and its event is not saved', async () => {
  const url = await sharedDatabaseUrl()
  const server = await openPresenceServer(url)
  const [ada] = (await createUsers(server, 1)) as [Actor]
  const beside = await openPresenceServer(url, { serve: false })
  const stored = async () => {
    // Commits through another storage become visible in the next turn of the event loop.
    await turn()
    const events = await beside.storage.db.selectFrom('events').select('type').execute()
    return [(await storedRows(beside)).map((row) => row.updateId), events.length]
  }

  await report(server, ada, 'active')
  assert.deepEqual(await stored(), [[1], 0])
  await server.clock.advance(60)
  await report(server, ada, 'active')
  await server.clock.advance(0.9)
  assert.deepEqual(await stored(), [[1], 0])
  await server.clock.advance(0.1)
  assert.deepEqual(await stored(), [[2], 0])
  assert.equal((await server.events(ada.realmId)).length, 1)
  for (const one of [beside, server]) await closePresenceServer(one)
})

test('all reports of a second are written in a handful of statements', async () => {
  const server = await openPresenceServer(await sharedDatabaseUrl())
  const people = await createUsers(server, 600)
  for (const person of people) await report(server, person, 'active')
  const before = server.storage.statements
  for (const person of people) server.presence.recordInput(person.id, NOW)

  await server.clock.advance(1)

  assert.equal(server.storage.statements - before, 3)
  assert.equal((await storedRows(server)).length, 600)
  const intervals = await server.storage.db.selectFrom('activityIntervals').select('userId').execute()
  assert.equal(intervals.length, 600)
  await closePresenceServer(server)
})

test('a stored row is never replaced by an older one', async () => {
  const server = await openPresenceServer(await sharedDatabaseUrl())
  const [ada] = (await createUsers(server, 1)) as [Actor]
  await report(server, ada, 'active')
  await server.clock.advance(1)
  const row = { userId: ada.id, realmId: ada.realmId, lastActiveAt: NOW + 5, lastConnectedAt: NOW + 5, updateId: 9 }
  await server.storage.transaction(async (tx) => {
    await tx.updateTable('presences').set(row).execute()
  })

  await server.clock.advance(60)
  await report(server, ada, 'active')
  await server.clock.advance(1)

  assert.deepEqual(
    (await storedRows(server)).map((stored) => stored.updateId),
    [9],
  )
  await closePresenceServer(server)
})

test('reports that could not be written are written as soon as possible', async () => {
  const url = await sharedDatabaseUrl()
  const clock = testClock(NOW)
  const log = openLog('silent')
  const storage = await openTestStorage({ url, clock, log })
  let isDiskFull = false
  const transaction: RunTransaction = (work) => (isDiskFull ? failing(work) : storage.transaction(work))
  const presence = openPresenceBoard({ storage: { ...storage, db: storage.db, transaction }, clock, log })
  const server = { storage, clock, presence, events: recordEvents(storage) }
  const [ada] = (await createUsers(server, 1)) as [Actor]
  await report(server, ada, 'active')
  await clock.advance(60)
  await report(server, ada, 'active')
  presence.recordInput(ada.id, clock.now())

  isDiskFull = true
  await clock.advance(3)
  const whileFull = await storedRows(server)
  isDiskFull = false
  await clock.advance(1)

  assert.deepEqual(
    whileFull.map((row) => row.updateId),
    [1],
  )
  assert.deepEqual(
    (await storedRows(server)).map((row) => row.updateId),
    [2],
  )
  const intervals = await storage.db.selectFrom('activityIntervals').selectAll().execute()
  assert.deepEqual(intervals, [{ userId: ada.id, startedAt: NOW + 60, endedAt: NOW + 960 }])
  await closePresenceServer(server)
})

test('ten concurrent requests load a board once', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openPresenceServer(url)
  const [ada] = (await createUsers(first, 1)) as [Actor]
  await closePresenceServer(first)
  const server = await openPresenceServer(url)
  const before = server.storage.statements

  const boards = await Promise.all(Array.from({ length: 10 }, () => server.presence.forRealm(ada.realmId)))

  assert.equal(new Set(boards).size, 1)
  assert.equal(server.storage.statements - before, 2)
  await closePresenceServer(server)
})

test('a change of accounts by another process is seen, without losing a report or an id', async () => {
  const url = await sharedDatabaseUrl()
  const server = await openPresenceServer(url)
  const [ada, ben] = (await createUsers(server, 2)) as [Actor, Actor]
  await report(server, ben, 'active')
  await report(server, ada, 'active')
  await server.clock.advance(60)
  await report(server, ada, 'active')
  const beside = await openPresenceServer(url, { serve: false })
  const isActive = async ({ realmId, id }: Actor) => (await server.presence.forRealm(realmId)).find(id)?.person.isActive

  const before = await isActive(ben)
  await beside.storage.transaction((tx) => saveUserFields(tx, ben.id, { deactivatedAt: NOW }))
  await waitUntil(async () => (await isActive(ben)) === false)

  assert.deepEqual([before, await isActive(ben), await isActive(ada)], [true, false, true])
  assert.equal(await idOf(server, ada), 3)
  await server.clock.advance(1)
  assert.deepEqual(
    (await storedRows(server)).map((row) => row.updateId),
    [1, 3],
  )
  for (const one of [beside, server]) await closePresenceServer(one)
})

test('a change of accounts is seen even if the commit does not name their rows', async () => {
  const server = await openPresenceServer(await sharedDatabaseUrl())
  const [ada] = (await createUsers(server, 1)) as [Actor]
  await report(server, ada, 'active')
  const isActive = async () => (await server.presence.forRealm(ada.realmId)).find(ada.id)?.person.isActive
  const before = await isActive()

  await server.storage.transaction((tx) => tx.updateTable('users').set({ deactivatedAt: NOW }).execute())

  assert.deepEqual([before, await isActive()], [true, false])
  await closePresenceServer(server)
})

test('a reset board has no earlier entries and does not write them', async () => {
  const server = await openPresenceServer(await sharedDatabaseUrl())
  const [ada] = (await createUsers(server, 1)) as [Actor]
  await report(server, ada, 'active')
  await server.clock.advance(60)
  await report(server, ada, 'active')

  await server.presence.reset()
  await server.storage.transaction(async (tx) => {
    await tx.deleteFrom('presences').execute()
    await tx.deleteFrom('presenceCeilings').execute()
  })
  await server.clock.advance(2)

  assert.deepEqual(await storedRows(server), [])
  await report(server, ada, 'active')
  assert.equal(await idOf(server, ada), 1)
  await closePresenceServer(server)
})
