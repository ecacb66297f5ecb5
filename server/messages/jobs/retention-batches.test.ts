import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type TestClock, testClock } from '#lib/clock.ts'
import { type Log, openLog } from '#lib/log.ts'
import { Role } from '#rules/role.ts'
import { advanceCounter } from '#storage/counters.ts'
import { batches } from '#storage/sql.ts'
import type { RunTransaction, Storage } from '#storage/storage.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { onPostgres } from '../../../test/database.ts'
import { type Chat, START, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'
import { whileTransactionIsOpen } from '../../../test/open-transaction.ts'
import { openRetentionJob } from '../jobs.ts'
import { MAX_BATCH_COST } from './delete-expired-messages.ts'
import { MESSAGE_BATCH_SIZE } from './retention-queries.ts'

const DAY = 86_400

/** Creates a channel that keeps messages for a week, with `count` messages from a month ago. */
async function startWithExpired(count: number, { topics = 1, subscribers = 1 } = {}) {
  const chat = await startChat()
  const people = await Promise.all(Array.from({ length: subscribers }, (_, index) => chat.user(`u${index}`)))
  const [ada] = people as [(typeof people)[0]]
  const design = await chat.channel('design', people, { messageRetentionDays: 7 })
  const first = await sendToChannel(ada, design)
  const ids = Array.from({ length: count }, (_, index) => first + 1 + index)
  await chat.app.services.transaction(async (tx) => {
    const row = await tx.db.selectFrom('messages').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
    for (const batch of batches([...ids.entries()], 200)) {
      const copies = batch.map(([index, id]) => ({
        ...row,
        id,
        topic: `t${index % topics}`,
        topicKey: `t${index % topics}`,
      }))
      await tx
        .insertInto('messages')
        .values(copies.map((copy) => ({ ...copy, sentAt: START - 30 * DAY })))
        .execute()
      const records = people.flatMap(({ id: userId }) =>
        batch.map(([, messageId]) => ({ userId, messageId, flags: 1 })),
      )
      await tx.insertInto('userMessages').values(records).execute()
    }
    await tx.deleteFrom('messages').where('id', '=', first).execute()
    if (tx.db.dialect === 'postgres') await advanceCounter(tx, 'message', count)
  })
  return { chat, ada, design, ids }
}

async function remainingIds({ app }: Chat): Promise<number[]> {
  const rows = await app.services.db.selectFrom('messages').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Returns a list to which each commit adds the ids of the messages that it deletes. */
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

test('expired messages are deleted ten minutes after the start, oldest first and in bounded batches', async () => {
  const { chat, ids } = await startWithExpired(2 * MESSAGE_BATCH_SIZE + 1)
  const commits = watchDeletions(chat)

  await chat.clock.advance(599)
  const beforeRun = await remainingIds(chat)
  await chat.clock.advance(1)

  assert.deepEqual(beforeRun, ids)
  assert.deepEqual(
    commits.map((batch) => batch.length),
    [MESSAGE_BATCH_SIZE, MESSAGE_BATCH_SIZE, 1],
  )
  assert.deepEqual(commits.flat(), ids)
  assert.deepEqual(await remainingIds(chat), [])
})

test('batches are smaller if more users have the messages', async () => {
  const { chat, ids } = await startWithExpired(150, { subscribers: 20 })
  const commits = watchDeletions(chat)

  await chat.clock.advance(600)

  assert.ok(commits.every((batch) => batch.length * 20 <= MAX_BATCH_COST))
  assert.deepEqual(commits.flat(), ids)
})

test('other transactions run between two batches', {
  skip: onPostgres && 'on PostgreSQL, they run at the same time as a batch',
}, async () => {
  const { chat, ada, design } = await startWithExpired(10 * MESSAGE_BATCH_SIZE)
  const commits = watchDeletions(chat)
  let sent: Promise<number> | undefined
  chat.app.storage.onCommit(() => {
    if (commits.length > 0) sent ??= sendToChannel(ada, design, 'meanwhile').then(() => commits.length)
  })

  await chat.clock.advance(600)

  const before = (await sent) ?? assert.fail('nothing was sent')
  assert.ok(before < commits.length, `${before} of ${commits.length}`)
})

test('a message that is moved to a channel without retention at the same time stays', async () => {
  const { chat, ids } = await startWithExpired(3)
  const archive = await chat.channel('archive', [])
  const moved = ids.slice(1, 2)

  await whileTransactionIsOpen(
    chat,
    (tx) => tx.updateTable('messages').set({ channelId: archive.id }).where('id', 'in', moved).execute(),
    () => chat.clock.advance(600),
  )

  assert.deepEqual(await remainingIds(chat), moved)
})

/** Opens a worker with a clock of its own. `overrides` can make its transactions fail. */
async function openWorker(
  { app }: Chat,
  overrides: Partial<Pick<Storage, 'transaction' | 'isLeader' | 'onBecomeLeader'>>,
  log: Log = openLog('silent'),
) {
  const clock: TestClock = testClock(START)
  const { db, transaction, isLeader, onBecomeLeader } = app.storage
  const storage = { db, transaction, isLeader, onBecomeLeader, ...overrides }
  const worker = openRetentionJob({ storage, clock, log, deleteOthers: [] })
  await yieldToOthers()
  return { clock, worker }
}

test('extending the retention during a run keeps the remaining messages', async () => {
  const { chat, ada, design, ids } = await startWithExpired(3 * MESSAGE_BATCH_SIZE)
  await chat.app.services.transaction((tx) =>
    tx.updateTable('users').set({ role: Role.owner }).where('id', '=', ada.id).execute(),
  )
  let isChanged = false
  const { clock, worker } = await openWorker(chat, {
    async transaction(work, options) {
      const result = await chat.app.storage.transaction(work, options)
      if (!isChanged) await ada.succeed(`PATCH /streams/${design.id}`, { message_retention_days: 40 })
      isChanged = true
      return result
    },
  })

  await clock.advance(600)
  await worker.close()

  assert.deepEqual((await remainingIds(chat)).slice(0, -1), ids.slice(MESSAGE_BATCH_SIZE))
})

for (const when of ['before', 'after'] as const) {
  test(`a failure right ${when} the commit of a batch neither loses nor repeats a deletion`, async () => {
    for (let at = 1; at <= 3; at++) {
      const { chat, ada, ids } = await startWithExpired(2 * MESSAGE_BATCH_SIZE + 50, { topics: 3 })
      let count = 0
      const failing: RunTransaction = async (work, options) => {
        const fails = ++count === at
        const result = await chat.app.storage.transaction(async (tx) => {
          const outcome = await work(tx)
          if (fails && when === 'before') throw new Error('the power is cut')
          return outcome
        }, options)
        if (fails) throw new Error('the power is cut')
        return result
      }
      const { clock, worker } = await openWorker(chat, { transaction: failing })

      await clock.advance(600)
      const afterFailure = await remainingIds(chat)
      await clock.advance(60)
      await worker.close()

      const committed = when === 'before' ? at - 1 : at
      assert.deepEqual(afterFailure, ids.slice(committed * MESSAGE_BATCH_SIZE))
      assert.deepEqual(await remainingIds(chat), [])
      const events = (await chat.eventsOf(ada)).flatMap((event) => (event['message_ids'] ?? []) as number[])
      assert.deepEqual(
        events.toSorted((a, b) => a - b),
        ids,
      )
    }
  })
}

test('only the leading node deletes messages, and a new leader starts at once', async () => {
  const { chat, ids } = await startWithExpired(3)
  let isLeading = false
  let lead = () => {}
  const { clock, worker } = await openWorker(chat, {
    isLeader: () => isLeading,
    onBecomeLeader: (listener) => {
      lead = listener
    },
  })

  await clock.advance(DAY)
  const before = await remainingIds(chat)
  const deleted = new Promise<void>((resolve) =>
    chat.app.storage.onCommit(({ emitted }) => {
      if (emitted.some(({ event }) => event.type === 'delete_message')) resolve()
    }),
  )
  isLeading = true
  lead()
  await deleted
  await worker.close()

  assert.deepEqual(before, ids)
  assert.deepEqual(await remainingIds(chat), [])
})

test('the log names everything that the job could not delete', async () => {
  const { log, errors } = collectLog()
  const transaction: RunTransaction = () => Promise.reject(new Error('the disk is full'))
  const { clock, worker } = await openWorker(await startChat(), { transaction }, log)

  await clock.advance(600)
  await worker.close()

  assert.deepEqual(
    errors.map(({ message }) => message),
    ['Failed to delete old messages, local ids, emails or webhook deliveries'],
  )
})
