import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealm } from '#realms/queries.ts'
import { deleteEventsUpTo, findLastEventId } from '#storage/event-log.ts'
import type { Storage } from '#storage/storage.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { openTestStorage } from '../../../test/storage.ts'
import { deleteOldEvents, findEventsAfter } from './queries.ts'

const DAY = 86_400

/** Returns a function that returns pseudorandom integers from 0 up to a bound. */
function seededRandom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const countAudiences = async ({ db }: Storage) => (await db.selectFrom('audiences').select('id').execute()).length

async function openLog() {
  const storage = await openTestStorage()
  const { id: realmId } = await storage.transaction((tx) => saveRealm(tx, { subdomain: 'tea', name: 'Tea' }))
  return {
    storage,
    emit: (...audiences: readonly (readonly number[])[]) =>
      storage.transaction(async (tx) => {
        for (const audience of audiences) tx.emit(realmId, anyEvent('any'), audience)
      }),
    async read() {
      const { events } = await findEventsAfter(storage.db, realmId, 0)
      return events.map(({ audience, fault }) => {
        assert.equal(fault, undefined)
        const ids = [...audience].sort((one, other) => one - other)
        assert.deepEqual([ids.length, ids.every((id) => audience.has(id))], [audience.size, true])
        return ids
      })
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

test('each event has the audience with which it was emitted, whatever the ones before it were', async () => {
  await using log = await openLog()
  const random = seededRandom(7)
  const emitted: number[][] = []
  let members = upTo(300)
  for (let number = 0; number < 60; number += 1) {
    const missing = new Set(Array.from({ length: random(40) }, () => random(400)))
    if (number % 17 === 16) members = upTo(150 + random(250)).map((id) => id * 2)
    const audience = members.filter((id) => !missing.has(id))
    emitted.push(random(2) === 0 ? [...audience, 5000 + number] : audience)
  }

  for (const [at, audience] of emitted.entries())
    if (at % 2 === 0) await log.emit(audience.toReversed(), emitted[at + 1] as number[])

  assert.deepEqual(
    await log.read(),
    emitted.map((ids) => ids.toSorted((one, other) => one - other)),
  )
  const shared = await countAudiences(log.storage)
  assert.ok(shared < 20, `${shared} shared audiences for 60 events`)
})

test('an audience is not shared with the events of a transaction that failed', async () => {
  await using log = await openLog()
  // Its row is refused after the audience was stored.
  const failing = log.storage.transaction(async (tx) => tx.emit(1, anyEvent(null as never), upTo(200)))
  await assert.rejects(failing)

  await log.emit(upTo(200))

  assert.deepEqual(await log.read(), [upTo(200)])
})

test('a shared audience is used for a day, and deleted when no event refers to it', async () => {
  const chat = await startChat()
  const { storage } = chat.app
  const emit = () => storage.transaction(async (tx) => tx.emit(chat.realm.id, anyEvent('any'), upTo(200)))
  await emit()
  await chat.clock.advance(DAY / 2)
  await emit()
  const firstDay = await countAudiences(storage)

  await chat.clock.advance(DAY)
  await emit()
  await storage.transaction((tx) => deleteOldEvents(tx, chat.clock.now() - DAY))
  const stillUsed = await countAudiences(storage)
  await chat.clock.advance(2 * DAY)
  await emit()
  await storage.transaction((tx) => deleteOldEvents(tx, chat.clock.now() - DAY))

  assert.deepEqual([firstDay, stillUsed, await countAudiences(storage)], [1, 2, 1])
})

test('deleting events ends the queues that lack one of them, and no others', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { storage } = chat.app
  const register = async (person: Person) =>
    (await person.succeed('POST /register', { event_types: ['any'] }))['queue_id']
  const [ofAda, ofBen] = [await register(ada), await register(ben)]
  const others = upTo(200).map((id) => id + 10_000)
  await storage.transaction(async (tx) => {
    tx.emit(chat.realm.id, anyEvent('any'), [ada.id, ...others])
    tx.emit(chat.realm.id, anyEvent('any'), others)
  })

  const last = await findLastEventId(storage.db, chat.realm.id)
  await storage.transaction((tx) => deleteEventsUpTo(tx, chat.realm.id, last))

  const left = await storage.db.selectFrom('eventQueues').select('id').execute()
  assert.deepEqual(
    left.map(({ id }) => id),
    [ofBen],
  )
  assert.notEqual(ofAda, ofBen)
})
