import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestStorage } from '../../test/storage.ts'
import { advanceCounter, nextMessageIds } from './counters.ts'
import type { Storage, Transaction } from './storage.ts'

test('a counter starts at zero and advances by the requested number', async () => {
  await using storage = await openTestStorage()
  const advance = (name: string, by: number) => storage.transaction((tx) => advanceCounter(tx, name, by))

  const values = [await advance('a', 3), await advance('a', 1), await advance('b', 1)]

  assert.deepEqual(values, [3, 4, 1])
})

test('a failed transaction leaves no gap in a counter', async () => {
  await using storage = await openTestStorage()
  const failing = storage.transaction(async (tx) => {
    await advanceCounter(tx, 'a', 10)
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)

  const value = await storage.transaction((tx) => advanceCounter(tx, 'a', 1))

  assert.equal(value, 1)
})

test('reading the messages after the last known one misses none, with eight concurrent senders', async () => {
  await using storage = await openTestStorage()
  const senderId = await storage.transaction(saveSender)
  let isSending = true
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let requester = 0; requester < 10; requester++) {
      await storage.transaction(async (tx) => {
        await sleep((sender * 5 + requester * 3) % 4)
        await saveMessage(tx, senderId)
        await sleep((sender * 3 + requester * 7) % 4)
      })
    }
  })
  const sent = Promise.all(senders).finally(() => {
    isSending = false
  })

  const seen: number[] = []
  while (isSending) seen.push(...(await messageIdsAfter(storage, seen.at(-1) ?? 0)))
  await sent
  seen.push(...(await messageIdsAfter(storage, seen.at(-1) ?? 0)))

  assert.equal(seen.length, 80)
  assert.deepEqual(await messageIdsAfter(storage, 0), seen)
})

test('the id of a deleted message is never used again', async () => {
  await using storage = await openTestStorage()
  const senderId = await storage.transaction(saveSender)
  const send = () => storage.transaction((tx) => saveMessage(tx, senderId))

  const first = await send()
  await storage.transaction((tx) => tx.deleteFrom('messages').execute())
  const second = await send()

  assert.ok(second > first)
})

async function saveSender(tx: Transaction): Promise<number> {
  const realm = { subdomain: '', name: '', createdAt: 0, settings: '{}' }
  const { id: realmId } = await tx.insertInto('realms').values(realm).returning('id').executeTakeFirstOrThrow()
  const { id: recipientId } = await tx
    .insertInto('recipients')
    .values({ realmId })
    .returning('id')
    .executeTakeFirstOrThrow()
  const user = { realmId, recipientId, deliveryEmail: '', emailKey: '', fullName: '', role: 400, joinedAt: 0 }
  const { id } = await tx
    .insertInto('users')
    .values({ ...user, avatarVersion: 1, timezone: '', settings: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function saveMessage(tx: Transaction, senderId: number): Promise<number> {
  const text = { topic: '', topicKey: '', content: '', renderedContent: '', renderedVersion: 1, client: 'test' }
  const { id } = await tx
    .insertInto('messages')
    .values({ id: (await nextMessageIds(tx, 1))?.first, realmId: 1, senderId, sentAt: tx.now, ...text })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function messageIdsAfter(storage: Storage, last: number): Promise<number[]> {
  const rows = await storage.db.selectFrom('messages').select('id').where('id', '>', last).orderBy('id').execute()
  return rows.map((row) => row.id)
}
