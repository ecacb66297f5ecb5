import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEventCache } from '#events/queues/event-cache.ts'
import { toLogId } from '#events/queues/event-queue.ts'
import { saveRealm } from '#realms/queries.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { openTestStorage } from '../../../test/storage.ts'
import { appendEvents } from '../event-log.ts'
import type { AppendedRows } from '../transactions/engine.ts'
import type { Bus } from './bus.ts'
import { EventHints } from './event-hints.ts'

/** Returns a function that returns pseudorandom integers from 0 up to a bound. */
function seededRandom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
}

type Transmit = (held: string[], text: string) => void

const addLast: Transmit = (held, text) => void held.push(text)

/** A bus that holds messages until `deliver`; `transmit` says what becomes of each. It refuses those that are longer than `limit`. */
function openHeldBus({ transmit = addLast, limit = Infinity } = {}) {
  const listeners = new Map<string, (text: string) => void>()
  const held = new Map<string, string[]>()
  const bus: Bus = {
    isConnected: () => true,
    onChange() {},
    publish(subject, text) {
      if (text.length > limit) return false
      const ofSubject = held.get(subject) ?? []
      held.set(subject, ofSubject)
      transmit(ofSubject, text)
      return true
    },
    subscribe(subject, listener) {
      listeners.set(subject, listener)
      return () => listeners.delete(subject)
    },
    async arrived() {},
    state: () => ({ isConnected: true, counts: { received: 0, sent: 0 } }),
    async close() {},
  }
  return {
    bus,
    listeners,
    /** Delivers the first messages; all of them if `count` is omitted. */
    deliver(count = Infinity) {
      for (const [subject, texts] of held)
        for (const text of texts.splice(0, Math.min(count, texts.length))) listeners.get(subject)?.(text)
    },
  }
}

/** A node that commits events, and another one that reads them. */
async function openTwo(options: Parameters<typeof openHeldBus>[0] & { areTimely?: boolean } = {}) {
  let appended: AppendedRows = new Map()
  const storage = await openTestStorage({
    async append(tx, emissions) {
      appended = await appendEvents(tx, emissions)
      return appended
    },
  })
  const { id: realmId } = await storage.transaction((tx) => saveRealm(tx, { subdomain: 'tea', name: 'Tea' }))
  const wire = openHeldBus(options)
  const { areTimely = true } = options
  const hintsOf = () => new EventHints({ bus: wire.bus, areTimely: () => areTimely })
  const [sender, receiver] = [hintsOf(), hintsOf()]
  const feed = receiver.follow(realmId)
  const { log, errors } = collectLog()
  return {
    storage,
    wire,
    subject: `log.${realmId}`,
    feed,
    errors,
    cache: openEventCache({ db: storage.db, log, realmId, startId: 0, feed }),
    /** Commits an event for each audience, and returns the id of the last one and a function that sends the hint. */
    async commit(...audiences: readonly (readonly number[])[]) {
      await storage.transaction(async (tx) => {
        for (const audience of audiences) tx.emit(realmId, anyEvent('any', { size: audience.length }), audience)
      })
      const rows = appended
      return { lastId: rows.get(realmId)?.at(-1)?.id as number, send: () => sender.send(rows) }
    },
    /** Returns how many statements the work takes. */
    async count(work: () => Promise<unknown>) {
      const before = storage.statements
      await work()
      return storage.statements - before
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const audiencesOf = (events: readonly { audience: Iterable<number> }[]) =>
  events.map(({ audience }) => [...audience].sort((one, other) => one - other))

test('events whose rows have come are read without a query, up to the commit that is announced', async () => {
  await using two = await openTwo()
  const first = await two.commit([1, 2], upTo(300))
  const second = await two.commit(upTo(299), [4])
  for (const { send } of [first, second]) send()
  two.wire.deliver()

  const ofFirst = await two.cache.pull(first.lastId)
  let ofSecond: typeof ofFirst | undefined
  const statements = await two.count(async () => {
    ofSecond = await two.cache.pull(second.lastId)
  })

  assert.deepEqual(audiencesOf(ofFirst.fresh), [[1, 2], upTo(300)])
  assert.deepEqual(audiencesOf(ofSecond?.fresh ?? []), [upTo(299), [4]])
  assert.equal(statements, 0)
  assert.equal(await two.count(() => two.cache.pull(first.lastId)), 0)
})

test('rows that come a moment after the announcement are waited for; those that the bus refuses are read at once', async () => {
  await using two = await openTwo({ limit: 5000 })
  const { lastId, send } = await two.commit([1])
  const reading = two.cache.pull(lastId)
  send()
  two.wire.deliver()
  assert.deepEqual(audiencesOf((await reading).fresh), [[1]])

  const long = await two.commit(upTo(90), upTo(80), upTo(99), upTo(98), upTo(97), upTo(96), ...upTo(60).map(() => [1]))
  long.send()
  two.wire.deliver()

  assert.equal((await two.cache.pull(long.lastId)).fresh.length, 66)
  assert.equal(toLogId(two.cache.lastId), long.lastId)
})

test('rows that are lost, unreadable, or come after the feed was closed are read from the database', async () => {
  await using two = await openTwo()
  const [lost, next] = [await two.commit([1]), await two.commit([2])]
  next.send()
  two.wire.deliver()
  assert.deepEqual(audiencesOf((await two.cache.pull(next.lastId)).fresh), [[1], [2]])
  lost.send()
  two.wire.deliver()

  const unreadable = await two.commit([3])
  const row = {
    id: unreadable.lastId,
    type: 'any',
    payload: 'no JSON',
    audience: '[3]',
    audienceId: null,
    absentIds: null,
  }
  two.wire.listeners.get(two.subject)?.(JSON.stringify({ lastId: unreadable.lastId, rows: [row] }))
  assert.deepEqual(audiencesOf((await two.cache.pull(unreadable.lastId)).fresh), [[3]])

  const last = await two.commit([4])
  const reading = two.cache.pull(last.lastId)
  two.feed.close()
  assert.deepEqual(audiencesOf((await reading).fresh), [[4]])
  assert.equal(two.wire.listeners.size, 0)
  assert.deepEqual(two.errors, [])
})

test('whatever is lost, doubled, late or in another order, each event is read once, in order and with its audience', async () => {
  const random = seededRandom(5)
  const transmit: Transmit = (held, text) => {
    for (let copies = random(3); copies > 0; copies -= 1) held.splice(random(held.length + 1), 0, text)
  }
  await using two = await openTwo({ transmit, areTimely: false })
  const [emitted, read]: [number[][], number[][]] = [[], []]
  let withoutQuery = 0
  for (let turn = 0; turn < 300; turn += 1) {
    const audiences = upTo(1 + random(3)).map(() => upTo(1 + random(150)))
    emitted.push(...audiences)
    const { lastId, send } = await two.commit(...audiences)
    send()
    two.wire.deliver(random(4))
    if (random(3) === 0) continue
    const statements = await two.count(async () => {
      read.push(...audiencesOf((await two.cache.pull(lastId)).fresh))
    })
    if (statements === 0) withoutQuery += 1
    assert.equal(toLogId(two.cache.lastId), emitted.length)
  }
  read.push(...audiencesOf((await two.cache.pull()).fresh))

  assert.deepEqual(read, emitted)
  assert.ok(withoutQuery > 0)
})
