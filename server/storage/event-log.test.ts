import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testClock } from '#lib/clock.ts'
import { anyEvent } from '../../test/any-event.ts'
import { openTestStorage } from '../../test/storage.ts'
import type { Storage } from './storage.ts'

async function idsAfter(storage: Storage, realmId: number, last: number): Promise<number[]> {
  const rows = await storage.db
    .selectFrom('events')
    .select('id')
    .where('realmId', '=', realmId)
    .where('id', '>', last)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}

test('the log holds an event as it was emitted, with the time of its transaction', async () => {
  await using storage = await openTestStorage({ clock: testClock(1000.5) })

  await storage.transaction(async (tx) => {
    const event = anyEvent('reaction', { op: 'add', text: '\0 \u{1f600}' })
    tx.emit(3, event, new Set([9, 8, 9]))
    tx.emit(3, anyEvent('nobody'), [])
  })

  const rows = await storage.db.selectFrom('events').selectAll().execute()
  assert.deepEqual(rows, [
    {
      realmId: 3,
      id: 1,
      createdAt: 1000.5,
      type: 'reaction',
      payload: '{"type":"reaction","op":"add","text":"\\u0000 \u{1f600}"}',
      audience: '[9,8]',
      audienceId: null,
      absentIds: null,
    },
  ])
})

test('each organization numbers its events from one, in the order in which they were emitted', async () => {
  await using storage = await openTestStorage()
  const emit = (...realmIds: number[]) =>
    storage.transaction(async (tx) => {
      for (const realmId of realmIds) tx.emit(realmId, anyEvent(`of ${realmId}`), [1])
    })

  await emit(2, 1, 2)
  await emit(1)

  const rows = await storage.db
    .selectFrom('events')
    .select(['realmId', 'id', 'type'])
    .orderBy('realmId')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    rows.map((row) => [row.realmId, row.id, row.type]),
    [
      [1, 1, 'of 1'],
      [1, 2, 'of 1'],
      [2, 1, 'of 2'],
      [2, 2, 'of 2'],
    ],
  )
})

test('thousands of events fit in one transaction', async () => {
  await using storage = await openTestStorage()

  await storage.transaction(async (tx) => {
    for (let number = 0; number < 6500; number++) tx.emit(1, anyEvent(`number ${number}`), [1])
  })

  assert.deepEqual(
    await idsAfter(storage, 1, 0),
    Array.from({ length: 6500 }, (_, index) => index + 1),
  )
})

test('a reader that continues after its last event misses none, with eight concurrent writers', async () => {
  await using storage = await openTestStorage()
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let turn = 0; turn < 15; turn++) {
      await storage.transaction(async (tx) => {
        await tx
          .insertInto('installation')
          .values({ name: `${writer} ${turn}`, value: '' })
          .execute()
        tx.emit(1, anyEvent('written'), [writer])
        await sleep((writer * 7 + turn * 3) % 5)
      })
    }
  })
  let isWriting = true
  const written = Promise.all(writers).finally(() => {
    isWriting = false
  })

  const seen: number[] = []
  while (isWriting) seen.push(...(await idsAfter(storage, 1, seen.at(-1) ?? 0)))
  await written
  seen.push(...(await idsAfter(storage, 1, seen.at(-1) ?? 0)))

  assert.deepEqual(
    seen,
    Array.from({ length: 120 }, (_, index) => index + 1),
  )
})

test('transactions that emit to several organizations in different orders do not block each other', async () => {
  await using storage = await openTestStorage()

  await Promise.all(
    Array.from({ length: 8 }, (_, writer) =>
      storage.transaction(async (tx) => {
        for (const realmId of writer % 2 === 0 ? [1, 2, 3] : [3, 2, 1]) tx.emit(realmId, anyEvent('written'), [1])
      }),
    ),
  )

  for (const realmId of [1, 2, 3]) assert.deepEqual(await idsAfter(storage, realmId, 0), [1, 2, 3, 4, 5, 6, 7, 8])
})
