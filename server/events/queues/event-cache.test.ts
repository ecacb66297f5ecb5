import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyEvent } from '../../../test/any-event.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { openTestStorage } from '../../../test/storage.ts'
import { openEventCache } from './event-cache.ts'
import { toEventId, toLogId } from './event-queue.ts'
import { PAGE_SIZE } from './queries.ts'

test('the cache reads a page at a time, however far it is behind, and keeps what it has read', async () => {
  await using storage = await openTestStorage()
  const emit = (count: number) =>
    storage.transaction(async (tx) => {
      for (let number = 1; number <= count; number++) tx.emit(1, anyEvent('message', { number }), [7])
    })
  const cache = openEventCache({ db: storage.db, log: collectLog().log, realmId: 1, startId: 0 })
  const pull = async () => {
    const { fresh, isAtEnd } = await cache.pull()
    return [fresh.length, isAtEnd, toLogId(cache.lastId), (await cache.after(toEventId(1))).length]
  }
  await emit(1)
  await cache.pull()

  await emit(2 * PAGE_SIZE + 7)
  const pulled = [await pull(), await pull(), await pull()]

  assert.deepEqual(pulled, [
    [PAGE_SIZE, false, PAGE_SIZE + 1, PAGE_SIZE],
    [PAGE_SIZE, false, 2 * PAGE_SIZE + 1, PAGE_SIZE],
    [7, true, 2 * PAGE_SIZE + 8, PAGE_SIZE],
  ])
})

test('large events are read in small numbers, and only the newest are kept in memory', async () => {
  await using storage = await openTestStorage()
  const text = 'x'.repeat(1_000_000)
  await storage.transaction(async (tx) => {
    for (let number = 1; number <= 70; number++) tx.emit(1, anyEvent('message', { number, text }), [7])
  })
  const cache = openEventCache({ db: storage.db, log: collectLog().log, realmId: 1, startId: 0 })

  const lengths: number[] = []
  for (let isOver = false; !isOver; ) {
    const { fresh, isAtEnd } = await cache.pull()
    lengths.push(fresh.length)
    isOver = isAtEnd
  }

  assert.equal(cache.lastId, toEventId(70))
  assert.ok(Math.max(...lengths) < 40, `${lengths}`)
  assert.ok(Array.isArray(cache.after(toEventId(60))), 'the latest are in memory')
  const older = cache.after(toEventId(3))
  assert.ok(older instanceof Promise, 'older ones are read again')
  const [[next], [nextOlder]] = [await cache.after(toEventId(60)), await older]
  assert.deepEqual([next?.id, nextOlder?.id], [toEventId(61), toEventId(4)])
})
