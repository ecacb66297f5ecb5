import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { DiskFull } from '#lib/errors.ts'
import { collectLog } from '../../test/collected-log.ts'
import { openTestStorage, temporaryFolder } from '../../test/storage.ts'
import type { Storage, Transaction } from './storage.ts'

async function pragma({ db }: Transaction, text: string): Promise<unknown> {
  const { rows } = await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(`pragma ${text}`))
  return Object.values(rows[0] ?? {})[0]
}

const save = (tx: Transaction, name: string, value = '') =>
  tx.insertInto('installation').values({ name, value }).execute()

async function names({ db }: Pick<Storage, 'db'>): Promise<string[]> {
  const rows = await db.selectFrom('installation').select('name').orderBy('name').execute()
  return rows.map((row) => row.name)
}

/** Opens a database that has too few pages for its preparation until `disk.isFull` is set to false. */
async function openOnFullDisk() {
  const disk = { isFull: true, preparations: 0 }
  const { log, errors } = collectLog()
  const storage = await openTestStorage({
    url: join(await temporaryFolder(), 'parley.db'),
    log,
    async prepare({ transaction }) {
      disk.preparations += 1
      await transaction(async (tx) => {
        await pragma(tx, `max_page_count = ${disk.isFull ? await pragma(tx, 'page_count') : 1_000_000}`)
        await save(tx, 'prepared', 'x'.repeat(200_000))
      })
    },
  })
  return { disk, storage, errors }
}

test('a server without disk space to prepare its database serves reads, and refuses writes as on a full disk', async () => {
  const { storage, errors } = await openOnFullDisk()
  await using _ = storage

  const writing = storage.transaction((tx) => save(tx, 'a'))

  await assert.rejects(writing, DiskFull)
  assert.deepEqual(await names(storage), [])
  assert.equal(await storage.isReady(), true)
  assert.equal(errors.length, 1)
})

test('once there is disk space, the database is prepared once before anything else is written', async () => {
  const { disk, storage } = await openOnFullDisk()
  await using _ = storage
  await assert.rejects(
    storage.transaction((tx) => save(tx, 'too early')),
    DiskFull,
  )
  let noticed = 0
  storage.onOutsideCommit(() => noticed++)

  disk.isFull = false
  const seen: string[][] = []
  await Promise.all(
    ['a', 'b'].map((name) =>
      storage.transaction(async (tx) => {
        seen.push(await names(tx))
        await save(tx, name)
      }),
    ),
  )

  assert.deepEqual(seen, [['prepared'], ['a', 'prepared']])
  assert.equal(disk.preparations, 3)
  assert.equal(noticed, 1)
})

test('a preparation that fails for another reason prevents the server from starting', async () => {
  const opening = openTestStorage({
    url: join(await temporaryFolder(), 'parley.db'),
    prepare: () => Promise.reject(new Error('not prepared')),
  })

  await assert.rejects(opening, /not prepared/)
})
