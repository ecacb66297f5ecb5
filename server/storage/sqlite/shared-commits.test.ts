import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { DiskFull } from '#lib/errors.ts'
import { anyEvent } from '../../../test/any-event.ts'
import { openTestStorage, temporaryFolder } from '../../../test/storage.ts'
import { defineCache } from '../cache.ts'
import { DatabaseUnavailable, type Storage, type Transaction } from '../storage.ts'

const newFile = async () => join(await temporaryFolder(), 'parley.db')

const save = (tx: Transaction, name: string) => tx.insertInto('installation').values({ name, value: '' }).execute()

async function names({ db }: Pick<Storage, 'db'>): Promise<string[]> {
  const rows = await db.selectFrom('installation').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

/** Runs all `works` in one turn of the event loop, each as if it were a separate request. Returns their outcomes. */
async function inOneTurn(storage: Storage, works: ((tx: Transaction) => Promise<unknown>)[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(works.map((work) => turn().then(() => storage.transaction(work))))
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Error).message))
}

const fail = async (tx: Transaction) => {
  await save(tx, 'failed')
  tx.emit(1, anyEvent('failed'), [1])
  throw new Error('failed')
}

test('the transactions of one turn share a commit, and are announced one by one', async () => {
  const url = await newFile()
  await using storage = await openTestStorage({ url })
  using other = new DatabaseSync(url)
  const seenByOthers: unknown[] = []
  storage.onCommit(({ written }) => {
    const { count } = other.prepare('select count(*) as count from installation').get() as { count: number }
    seenByOthers.push([count, ...written])
  })

  const outcomes = await inOneTurn(storage, [(tx) => save(tx, 'a'), async () => {}, (tx) => save(tx, 'c')])

  assert.deepEqual(outcomes, ['done', 'done', 'done'])
  assert.deepEqual(seenByOthers, [[2, 'installation'], [2], [2, 'installation']])
})

test('no transaction is acknowledged before the commit that it shares', async () => {
  const url = await newFile()
  await using storage = await openTestStorage({ url })
  using other = new DatabaseSync(url)
  await turn()
  const happened: string[] = []
  const countByOthers = () => Number(other.prepare('select count(*) as count from installation').get()?.['count'])

  await Promise.all([
    storage.transaction((tx) => save(tx, 'a')).then(() => happened.push(`a, with ${countByOthers()} rows`)),
    storage.transaction(async (tx) => {
      await save(tx, 'b')
      happened.push(`b is done, with ${countByOthers()} rows`)
    }),
  ])

  assert.deepEqual(happened, ['b is done, with 0 rows', 'a, with 2 rows'])
})

test('a refusal based on data of another transaction is not returned before that data is durable', async () => {
  const url = await newFile()
  await using storage = await openTestStorage({ url })
  using other = new DatabaseSync(url)
  const countByOthers = () => Number(other.prepare('select count(*) as count from installation').get()?.['count'])
  const take = (name: string) => async (tx: Transaction) => {
    if ((await names(tx)).includes(name)) throw new Error(`${name} is taken`)
    await save(tx, name)
  }
  const observed: number[] = []

  await Promise.allSettled([
    storage.transaction(take('a')),
    storage.transaction(take('a')).catch(() => observed.push(countByOthers())),
    storage.transaction(take('b')),
  ])

  assert.deepEqual(observed, [2])
})

test('when the commit fails, all transactions that share it fail, including dependent refusals, and nothing is announced', async () => {
  await using storage = await openTestStorage({ url: await newFile() })
  const received: unknown[] = []
  storage.onCommit((commit) => received.push(commit))
  const kept = defineCache<string, string>({
    dependsOn: ['installation'],
    limit: 10,
    load: async (db) => (await names({ db })).join(' '),
  })

  const outcomes = await inOneTurn(storage, [
    (tx) => save(tx, 'a'),
    async (tx) => {
      await kept.get(tx.db, 'names')
      await fail(tx)
    },
    async (tx) => {
      await tx.db.executeQuery(CompiledQuery.raw('pragma defer_foreign_keys = on'))
      await tx.insertInto('apiKeyUses').values({ apiKeyId: 404, lastUsedAt: 1 }).execute()
      tx.afterCommit(() => received.push('followed'))
      tx.emit(1, anyEvent('sent'), [1])
    },
  ])
  const heardAtFailure = [...received]
  const afterwards = await inOneTurn(storage, [(tx) => save(tx, 'b')])

  const failed = 'FOREIGN KEY constraint failed'
  assert.deepEqual(outcomes, [failed, failed, failed])
  assert.deepEqual(heardAtFailure, [])
  assert.deepEqual(afterwards, ['done'])
  assert.deepEqual(await names(storage), ['b'])
  assert.equal(await kept.get(storage.db, 'names'), 'b')
  assert.deepEqual(await storage.db.selectFrom('events').select('id').execute(), [])
})

test('transactions that share a commit fail individually, with their events', async () => {
  await using storage = await openTestStorage({ url: await newFile() })
  const notify = (tx: Transaction) => tx.emit(1, anyEvent('sent'), [1])

  const outcomes = await inOneTurn(storage, [
    fail,
    async (tx) => {
      await save(tx, 'b')
      notify(tx)
    },
    fail,
    (tx) => save(tx, 'b').then(() => save(tx, 'never')),
    async (tx) => {
      await save(tx, 'e')
      notify(tx)
    },
    fail,
  ])

  assert.deepEqual(outcomes.toSpliced(3, 1), ['failed', 'done', 'failed', 'done', 'failed'])
  assert.match(outcomes[3] ?? '', /UNIQUE/)
  assert.deepEqual(await names(storage), ['b', 'e'])
  const events = await storage.db.selectFrom('events').select(['id', 'type']).orderBy('id').execute()
  assert.deepEqual(events, [
    { id: 1, type: 'sent' },
    { id: 2, type: 'sent' },
  ])
})

test('a transaction sees the changes of those before it, cached or not', async () => {
  await using storage = await openTestStorage({ url: await newFile() })
  const kept = defineCache<string, string>({
    dependsOn: ['installation'],
    limit: 10,
    load: async (db) => (await names({ db })).join(' '),
  })
  await kept.get(storage.db, 'names')
  const found: string[] = []

  await inOneTurn(storage, [
    (tx) => save(tx, 'a'),
    async (tx) => {
      found.push(await kept.get(tx.db, 'names'))
    },
  ])
  found.push(await kept.get(storage.db, 'names'))
  await storage.transaction(async (tx) => {
    found.push(kept.peek(tx.db, 'names') ?? 'not kept')
  })

  assert.deepEqual(found, ['a', 'a', 'a'])
})

test('when SQLite ends the transaction, all that shared it fail, and the server continues', async () => {
  await using storage = await openTestStorage({ url: await newFile() })

  const outcomes = await inOneTurn(storage, [
    (tx) => save(tx, 'a'),
    async (tx) => {
      await save(tx, 'b')
      await tx.db.executeQuery(CompiledQuery.raw('rollback'))
    },
    (tx) => save(tx, 'c'),
  ])

  const ended = 'SQLite ended the transaction by itself'
  assert.deepEqual(outcomes, [ended, ended, 'done'])
  assert.deepEqual(await names(storage), ['c'])
})

test('pending transactions are written when the storage closes', async () => {
  const url = await newFile()
  const storage = await openTestStorage({ url })
  const writing = inOneTurn(storage, [(tx) => save(tx, 'a'), (tx) => save(tx, 'b')])
  await turn()

  await storage.close()

  assert.deepEqual(await writing, ['done', 'done'])
  await using reopened = await openTestStorage({ url })
  assert.deepEqual(await names(reopened), ['a', 'b'])
})

test('when the disk is full for one transaction, those that share its commit can be retried', async () => {
  await using storage = await openTestStorage({ url: await newFile() })
  await storage.transaction(async ({ db }) => {
    const { rows } = await db.executeQuery<{ page_count: number }>(CompiledQuery.raw('pragma page_count'))
    await db.executeQuery(CompiledQuery.raw(`pragma max_page_count = ${Number(rows[0]?.page_count) + 20}`))
  })
  const errors: unknown[] = []
  const attempt = (work: (tx: Transaction) => Promise<unknown>) =>
    storage.transaction(work).catch((error) => errors.push((error as Error).constructor))
  const tooMuch = { name: 'b', value: 'x'.repeat(1_000_000) }

  await Promise.all([
    attempt((tx) => save(tx, 'a')),
    attempt((tx) => tx.insertInto('installation').values(tooMuch).execute()),
    attempt((tx) => save(tx, 'c')),
  ])

  assert.deepEqual(errors, [DatabaseUnavailable, DiskFull])
  assert.deepEqual(await names(storage), ['c'])
})

test('a transaction that begins after the storage was closed fails as database unavailable', async () => {
  const storage = await openTestStorage({ url: await newFile() })
  await storage.transaction((tx) => save(tx, 'a'))
  const closed = storage.close()
  const asked = storage.transaction((tx) => save(tx, 'b'))
  await closed

  const away = new DatabaseUnavailable('The database is closed')
  await assert.rejects(asked, away)
  await assert.rejects(
    storage.transaction(() => Promise.resolve()),
    away,
  )
  await assert.rejects(names(storage), away)
})

test('if a transaction is still working when the turn ends, the commit waits for it', async () => {
  const url = await newFile()
  await using storage = await openTestStorage({ url })
  using other = new DatabaseSync(url)
  const count = () => Number(other.prepare('select count(*) as count from installation').get()?.['count'])
  const counts: number[] = []

  await inOneTurn(storage, [
    (tx) => save(tx, 'a'),
    async (tx) => {
      await save(tx, 'b')
      for (let turns = 0; turns < 5; turns += 1) {
        await turn()
        counts.push(count())
      }
    },
    (tx) => save(tx, 'c'),
  ])

  assert.deepEqual(counts, [0, 0, 0, 0, 0])
  assert.equal(count(), 3)
})

test('a thousand transactions of one turn all succeed individually', async () => {
  await using storage = await openTestStorage({ url: await newFile() })
  const works = Array.from({ length: 1000 }, (_, at) => (at % 7 === 3 ? fail : (tx: Transaction) => save(tx, `${at}`)))

  const outcomes = await inOneTurn(storage, works)

  assert.deepEqual(
    outcomes,
    works.map((work) => (work === fail ? 'failed' : 'done')),
  )
  assert.equal((await names(storage)).length, outcomes.filter((outcome) => outcome === 'done').length)
})
