import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as othersFirst } from 'node:timers/promises'
import { type Chat, START, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'
import { whileTransactionIsOpen } from '../../../test/open-transaction.ts'
import { Role } from '../../people/users/role.ts'
import { type TestClock, testClock } from '../../platform/runtime/clock.ts'
import { openLog } from '../../platform/runtime/log.ts'
import { batches } from '../../platform/storage/batches.ts'
import { advanceCounter } from '../../platform/storage/counters.ts'
import type { RunTransaction, Storage } from '../../platform/storage/storage.ts'
import { MAX_BATCH_COST } from './batch-size.ts'
import { MESSAGE_BATCH_SIZE } from './queries.ts'
import { openRetentionWorker } from './retention-worker.ts'

const DAY = 86_400

/** A channel that keeps messages for a week, with `count` that were sent a month ago, and the ids of these. */
async function startAged(count: number, { topics = 1, subscribers = 1 } = {}) {
  const chat = await startChat()
  const people = await Promise.all(Array.from({ length: subscribers }, (_, at) => chat.user(`u${at}`)))
  const [ada] = people as [(typeof people)[0]]
  const design = await chat.channel('design', people, { messageRetentionDays: 7 })
  const first = await sendToChannel(ada, design)
  const ids = Array.from({ length: count }, (_, at) => first + 1 + at)
  await chat.app.services.transaction(async (tx) => {
    const row = await tx.db.selectFrom('messages').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
    for (const some of batches([...ids.entries()], 200)) {
      const copies = some.map(([at, id]) => ({ ...row, id, topic: `t${at % topics}`, topicKey: `t${at % topics}` }))
      await tx
        .insertInto('messages')
        .values(copies.map((copy) => ({ ...copy, sentAt: START - 30 * DAY })))
        .execute()
      const records = people.flatMap(({ id: userId }) => some.map(([, messageId]) => ({ userId, messageId, flags: 1 })))
      await tx.insertInto('userMessages').values(records).execute()
    }
    await tx.deleteFrom('messages').where('id', '=', first).execute()
    if (tx.db.dialect === 'postgres') await advanceCounter(tx, 'message', count)
  })
  return { chat, ada, design, ids }
}

async function left({ app }: Chat): Promise<number[]> {
  const rows = await app.services.db.selectFrom('messages').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** The ids that each commit says are gone. */
function watchDeletions({ app }: Chat): number[][] {
  const commits: number[][] = []
  app.storage.onCommit(({ emitted }) => {
    const ids = emitted.flatMap(({ event }) =>
      event.type === 'delete_message' ? (event['message_ids'] as number[]) : [],
    )
    if (ids.length > 0) commits.push(ids)
  })
  return commits
}

test('what is over when the server starts goes from ten minutes later on, a bounded number at once, the oldest first', async () => {
  const { chat, ids } = await startAged(2 * MESSAGE_BATCH_SIZE + 1)
  const commits = watchDeletions(chat)

  await chat.clock.advance(599)
  const atFirst = await left(chat)
  await chat.clock.advance(1)

  assert.deepEqual(atFirst, ids)
  assert.deepEqual(
    commits.map((gone) => gone.length),
    [MESSAGE_BATCH_SIZE, MESSAGE_BATCH_SIZE, 1],
  )
  assert.deepEqual(commits.flat(), ids)
  assert.deepEqual(await left(chat), [])
})

test('the more people have the messages, the fewer go at once', async () => {
  const { chat, ids } = await startAged(150, { subscribers: 20 })
  const commits = watchDeletions(chat)

  await chat.clock.advance(600)

  assert.ok(commits.every((gone) => gone.length * 20 <= MAX_BATCH_COST))
  assert.deepEqual(commits.flat(), ids)
})

test('others write between two batches', async () => {
  const { chat, ada, design } = await startAged(10 * MESSAGE_BATCH_SIZE)
  const commits = watchDeletions(chat)
  let sent: Promise<number> | undefined
  chat.app.storage.onCommit(() => {
    if (commits.length > 0) sent ??= sendToChannel(ada, design, 'meanwhile').then(() => commits.length)
  })

  await chat.clock.advance(600)

  const before = (await sent) ?? assert.fail('nothing was sent')
  assert.ok(before < commits.length, `${before} of ${commits.length}`)
})

test('a message that is moved meanwhile to where it is kept stays', async () => {
  const { chat, ids } = await startAged(3)
  const archive = await chat.channel('archive', [])
  const moved = ids.slice(1, 2)

  await whileTransactionIsOpen(
    chat,
    (tx) => tx.updateTable('messages').set({ channelId: archive.id }).where('id', 'in', moved).execute(),
    () => chat.clock.advance(600),
  )

  assert.deepEqual(await left(chat), moved)
})

/** A sweeper with a clock of its own, for transactions that may fail. */
async function sweeperOf({ app }: Chat, parts: Partial<Pick<Storage, 'transaction' | 'isLeader' | 'onBecomeLeader'>>) {
  const clock: TestClock = testClock(START)
  const { db, transaction, isLeader, onBecomeLeader } = app.storage
  const storage = { db, transaction, isLeader, onBecomeLeader, ...parts }
  const sweeper = openRetentionWorker({ storage, clock, log: openLog('silent') })
  await othersFirst()
  return { clock, sweeper }
}

test('a time that is lengthened while messages go spares those that are left', async () => {
  const { chat, ada, design, ids } = await startAged(3 * MESSAGE_BATCH_SIZE)
  await chat.app.services.transaction((tx) =>
    tx.updateTable('users').set({ role: Role.owner }).where('id', '=', ada.id).execute(),
  )
  let isChanged = false
  const { clock, sweeper } = await sweeperOf(chat, {
    async transaction(work, options) {
      const result = await chat.app.storage.transaction(work, options)
      if (!isChanged) await ada.succeed(`PATCH /streams/${design.id}`, { message_retention_days: 40 })
      isChanged = true
      return result
    },
  })

  await clock.advance(600)
  await sweeper.close()

  assert.deepEqual((await left(chat)).slice(0, -1), ids.slice(MESSAGE_BATCH_SIZE))
})

for (const when of ['before', 'after'] as const) {
  test(`a failure right ${when} a batch is written loses nothing and repeats nothing`, async () => {
    for (let at = 1; at <= 3; at++) {
      const { chat, ada, ids } = await startAged(2 * MESSAGE_BATCH_SIZE + 50, { topics: 3 })
      let count = 0
      const failing: RunTransaction = async (work, options) => {
        const fails = ++count === at
        const result = await chat.app.storage.transaction(async (tx) => {
          const done = await work(tx)
          if (fails && when === 'before') throw new Error('the power is cut')
          return done
        }, options)
        if (fails) throw new Error('the power is cut')
        return result
      }
      const { clock, sweeper } = await sweeperOf(chat, { transaction: failing })

      await clock.advance(600)
      const afterFailure = await left(chat)
      await clock.advance(60)
      await sweeper.close()

      const written = when === 'before' ? at - 1 : at
      assert.deepEqual(afterFailure, ids.slice(written * MESSAGE_BATCH_SIZE))
      assert.deepEqual(await left(chat), [])
      const events = (await chat.eventsOf(ada)).flatMap((event) => (event['message_ids'] ?? []) as number[])
      assert.deepEqual(
        events.toSorted((one, other) => one - other),
        ids,
      )
    }
  })
}

test('a node that does not lead deletes nothing; when it isLeader it does at once what is due', async () => {
  const { chat, ids } = await startAged(3)
  let isLeading = false
  let lead = () => {}
  const { clock, sweeper } = await sweeperOf(chat, {
    isLeader: () => isLeading,
    onBecomeLeader: (listener) => {
      lead = listener
    },
  })

  await clock.advance(DAY)
  const before = await left(chat)
  const deleted = new Promise<void>((resolve) => chat.app.storage.onCommit(() => resolve()))
  isLeading = true
  lead()
  await deleted
  await sweeper.close()

  assert.deepEqual(before, ids)
  assert.deepEqual(await left(chat), [])
})
