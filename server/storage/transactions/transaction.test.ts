import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testClock } from '#lib/clock.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { onPostgres } from '../../../test/database.ts'
import { openTestStorage } from '../../../test/storage.ts'
import { appendEvents } from '../event-log.ts'
import { insertRows } from '../sql.ts'
import type { Commit, Storage, Transaction } from '../storage.ts'

const note = (tx: Transaction, name: string, value = '') =>
  tx.insertInto('installation').values({ name, value }).execute()

async function notes(storage: Storage): Promise<string[]> {
  const rows = await storage.db.selectFrom('installation').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

test('a commit announces its tables and events, then runs its follow-up jobs', async () => {
  await using storage = await openTestStorage()
  const commits: Commit[] = []
  const order: string[] = []
  storage.onCommit((commit) => {
    commits.push(commit)
    order.push('announced')
  })

  const result = await storage.transaction(async (tx) => {
    tx.afterCommit(() => order.push('followed'))
    await note(tx, 'a')
    await tx.updateTable('realms as r').set({ name: 'x' }).execute()
    tx.emit(7, anyEvent('hello'), [1, 2, 1])
    order.push('worked')
    return 'result'
  })

  assert.equal(result, 'result')
  assert.deepEqual(order, ['worked', 'announced', 'followed'])
  assert.deepEqual([...commits[0]!.written].sort(), ['counters', 'events', 'installation', 'realms'])
  assert.deepEqual(commits[0]!.emitted, [{ realmId: 7, event: { type: 'hello' }, audience: [1, 2] }])
})

test('a failed transaction leaves no row and no event, and is not announced', async () => {
  await using storage = await openTestStorage()
  const received: unknown[] = []
  storage.onCommit((commit) => received.push(commit))
  await storage.transaction((tx) => note(tx, 'before'))
  received.length = 0

  const failing = storage.transaction(async (tx) => {
    await note(tx, 'a')
    tx.emit(1, anyEvent('hello'), [1])
    tx.afterCommit(() => received.push('followed'))
    throw new Error('changed its mind')
  })

  await assert.rejects(failing, /changed its mind/)
  assert.deepEqual(await notes(storage), ['before'])
  assert.deepEqual(await storage.db.selectFrom('events').selectAll().execute(), [])
  assert.deepEqual(received, [])
})

test('nothing is written if the event log cannot be appended to', async () => {
  let isLogFull = true
  await using storage = await openTestStorage({
    async append(tx, emissions) {
      const appended = await appendEvents(tx, emissions)
      if (isLogFull) throw new Error('no room for events')
      return appended
    },
  })
  const work = async (tx: Transaction) => {
    await note(tx, 'a')
    tx.emit(1, anyEvent('hello'), [1])
  }

  await assert.rejects(storage.transaction(work), /no room for events/)
  const left = await notes(storage)
  isLogFull = false
  await storage.transaction(work)

  assert.deepEqual(left, [])
  assert.deepEqual(await notes(storage), ['a'])
  assert.deepEqual(await storage.db.selectFrom('events').select('id').execute(), [{ id: 1 }])
})

test('a failed statement fails its transaction, even if its error is caught', async () => {
  await using storage = await openTestStorage()
  await storage.transaction((tx) => note(tx, 'taken'))
  let second: unknown

  const doomed = storage.transaction(async (tx) => {
    await note(tx, 'a')
    await note(tx, 'taken').catch(() => undefined)
    second = await note(tx, 'b').catch((error) => error)
  })

  await assert.rejects(doomed, /unique/i)
  assert.match(String(second), /earlier statement/)
  assert.deepEqual(await notes(storage), ['taken'])
})

test('the caller gets the error of the work, even if a statement failed first', async () => {
  await using storage = await openTestStorage()
  await storage.transaction((tx) => note(tx, 'taken'))

  const refused = storage.transaction((tx) =>
    note(tx, 'taken').catch(() => {
      throw new Error('this name is taken')
    }),
  )

  await assert.rejects(refused, /this name is taken/)
})

test('statements that are not awaited are committed with the rest, and a failure rolls everything back', async () => {
  await using storage = await openTestStorage()

  await storage.transaction(async (tx) => insertRows(tx, 'installation', [{ name: 'a', value: '' }]))
  const doomed = storage.transaction(async (tx) => {
    await note(tx, 'b')
    insertRows(tx, 'installation', [{ name: 'a', value: '' }])
    insertRows(tx, 'installation', [{ name: 'c', value: '' }])
  })

  await assert.rejects(doomed, /unique/i)
  assert.deepEqual(await notes(storage), ['a'])
})

test('a statement that cannot be sent fails its transaction, even if it is not awaited', async () => {
  await using storage = await openTestStorage()
  const circular: { self?: unknown } = {}
  circular.self = circular

  const doomed = storage.transaction(async (tx) => {
    insertRows(tx, 'installation', [{ name: 'a', value: '' }])
    insertRows(tx, 'installation', [{ name: 'b', value: circular as never }])
  })

  await assert.rejects(doomed, TypeError)
  assert.deepEqual(await notes(storage), [])
})

test('a statement that is not awaited does not run after the end', async () => {
  await using storage = await openTestStorage()
  let late: Promise<unknown> | undefined

  await storage.transaction(async (tx) => {
    late = sleep(5).then(() => note(tx, 'late'))
    late.catch(() => undefined)
  })

  await assert.rejects(late!, /after the end of its transaction/)
  assert.deepEqual(await notes(storage), [])
})

test('a transaction sees its own changes, and others do not see them before its end', async () => {
  await using storage = await openTestStorage()

  await storage.transaction(async (tx) => {
    await note(tx, 'a')
    const inside = await tx.db.selectFrom('installation').select('name').execute()
    assert.deepEqual(inside, [{ name: 'a' }])
    assert.deepEqual([tx.db.written?.has('installation'), tx.db.written?.has('users')], [true, false])
  })

  assert.equal(storage.db.written, null)
  assert.deepEqual(await notes(storage), ['a'])
})

test('a failing listener stops neither the commit nor the other listeners', async () => {
  await using storage = await openTestStorage()
  let received = 0
  storage.onCommit(() => {
    throw new Error('deaf')
  })
  storage.onCommit(() => received++)

  await storage.transaction(async (tx) => {
    tx.afterCommit(() => {
      throw new Error('clumsy')
    })
    tx.afterCommit(() => received++)
    await note(tx, 'a')
  })

  assert.equal(received, 2)
  assert.deepEqual(await notes(storage), ['a'])
})

test('the time of a transaction hides a small step back of the clock and follows a large one', async () => {
  const clock = testClock(1000)
  await using storage = await openTestStorage({ clock })
  const timeNow = () => storage.transaction(async (tx) => tx.now)

  const times = [await timeNow()]
  for (const time of [1000.5, 999, 400, 400.25]) {
    await clock.set(time)
    times.push(await timeNow())
  }

  assert.deepEqual(times, [1000, 1000.5, 1000.5, 400, 400.25])
})

test('two transactions that lock the same rows in opposite order both succeed', async () => {
  await using storage = await openTestStorage()
  await storage.transaction(async (tx) => {
    await note(tx, 'a', '0')
    await note(tx, 'b', '0')
  })
  const setBoth = (first: string, second: string, value: string) =>
    storage.transaction(async (tx) => {
      await tx.updateTable('installation').set({ value }).where('name', '=', first).execute()
      await sleep(30)
      await tx.updateTable('installation').set({ value }).where('name', '=', second).execute()
      return value
    })

  const results = await Promise.all([setBoth('a', 'b', '1'), setBoth('b', 'a', '2')])

  assert.deepEqual(results, ['1', '2'])
  const values = await storage.db.selectFrom('installation').select('value').distinct().execute()
  assert.equal(values.length, 1)
})

test('transactions start in the order of their requests', {
  skip: onPostgres && 'PostgreSQL runs them concurrently',
}, async () => {
  await using storage = await openTestStorage()
  const order: number[] = []

  await Promise.all(
    [1, 2, 3, 4].map((number) =>
      storage.transaction(async (tx) => {
        order.push(number)
        await sleep(5 - number)
        await note(tx, String(number))
        order.push(number)
      }),
    ),
  )

  assert.deepEqual(order, [1, 1, 2, 2, 3, 3, 4, 4])
})
