import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { anyEvent } from '../../../test/any-event.ts'
import { sized } from '../../../test/size.ts'
import { openTestStorage, temporaryFolder } from '../../../test/storage.ts'
import type { Storage, Transaction } from '../storage.ts'

/** The acknowledged numbers, and the files at the start of the sync that made the last of them durable. */
type Moment = { acknowledged: readonly number[]; database: Buffer; log: Buffer }

/** The number of concurrent writers, and the number of values that each of them writes. */
const WRITERS = 6
const ROUNDS = sized(4, 12)

const FRAME = 24 + 4096
const LOG_HEADER = 32
const SECTOR = 512

/**
 * A power cut after a sync cannot lose what the files contained when that sync began. Later writes may be lost in part.
 * Each case takes the files as of the last acknowledged sync, with the log overwritten by the beginning of the log as
 * of the next sync. The last sector of that beginning may be torn. After recovery, every acknowledged write must exist,
 * no write may be partial, and the database must be intact. `power-loss.test.ts` mixes old and new pages at any
 * position, on systems where it can record writes.
 */
test('a power cut at any position of the log loses no acknowledged write, and leaves no partial one', async () => {
  const folder = await temporaryFolder()
  const moments = await recordMoments(join(folder, 'parley.db'))
  let cuts = 0
  let restarts = 0

  for (const [index, moment] of moments.entries()) {
    const next = moments[index + 1] ?? moment
    const isRestarted = !next.log.subarray(0, LOG_HEADER).equals(moment.log.subarray(0, LOG_HEADER))
    if (isRestarted) restarts++
    // Before a log restarts, its content is synced to the database.
    const { database } = isRestarted ? next : moment
    for (const log of cutLogs(moment.log, next.log)) {
      const where = join(folder, `cut-${cuts++}`)
      const { first, second, events, verdict } = recover(where, database, log)

      const missing = moment.acknowledged.filter((number) => !first.includes(number))
      assert.deepEqual(missing, [], where)
      assert.deepEqual([second, events], [first, first], where)
      assert.equal(verdict, 'ok', where)
    }
  }
  assert.equal(moments.at(-1)?.acknowledged.length, WRITERS * ROUNDS)
  assert.ok(cuts > 100, `${cuts} cuts`)
  assert.ok(restarts > 0, `the log restarted ${restarts} times`)
})

/** Writes numbers concurrently, so that the writes share commits. Records the files at each acknowledgement. */
async function recordMoments(path: string): Promise<Moment[]> {
  const filesNow = () => ({ database: readFileSync(path), log: readFileSync(`${path}-wal`) })
  let durable: Pick<Moment, 'database' | 'log'> | undefined
  await using storage = await openTestStorage({
    url: path,
    sqliteLog: {
      checkpointAfter: 4,
      async aroundSync(sync) {
        const synced = filesNow()
        await sync()
        durable = synced
      },
    },
  })
  const acknowledged: number[] = []
  const moments: Moment[] = []

  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let run = 0; run < ROUNDS; run++) {
        const number = run * WRITERS + writer
        await writeNumber(storage, number)
        acknowledged.push(number)
        const moment = { acknowledged: [...acknowledged], ...(durable ?? filesNow()) }
        if (moments.at(-1)?.log === moment.log) moments.pop()
        moments.push(moment)
        if (number % 3 === 0) await storage.transaction(failing).catch(() => undefined)
      }
    }),
  )
  return moments
}

/** Writes two rows and an event. All three must exist after a power cut, or none of them. */
async function writeNumber({ transaction }: Storage, number: number): Promise<void> {
  const value = `${number}`.repeat(100)
  await transaction(async (tx) => {
    await tx
      .insertInto('installation')
      .values({ name: `${number} first`, value })
      .execute()
    tx.emit(1, anyEvent(`${number}`), [1])
    await tx
      .insertInto('installation')
      .values({ name: `${number} second`, value })
      .execute()
  })
}

async function failing(tx: Transaction): Promise<void> {
  await tx.insertInto('installation').values({ name: '-1 first', value: '' }).execute()
  throw new Error('undone')
}

/**
 * Returns the logs that a power cut between two moments can leave: `next` up to the beginning of a frame, then a torn
 * sector, then the old content.
 */
function cutLogs(before: Buffer, next: Buffer): Buffer[] {
  const logs = [before]
  for (let position = LOG_HEADER; position < next.length; position += FRAME) {
    if (next.subarray(0, position + FRAME).equals(before.subarray(0, position + FRAME))) continue
    const torn = TORN[logs.length % TORN.length] as (sector: Buffer) => Buffer
    const sector = torn(next.subarray(position, position + SECTOR))
    logs.push(Buffer.concat([next.subarray(0, position), sector, before.subarray(position + sector.length)]))
  }
  return logs
}

/** Possible contents of the sector that was being written: the old content, zeros, other bytes, or the new content. */
const TORN: ((sector: Buffer) => Buffer)[] = [
  (sector) => sector.subarray(0, 0),
  (sector) => Buffer.alloc(sector.length),
  (sector) => Buffer.from(sector.map((byte) => byte ^ 0x5a)),
  (sector) => sector,
]

/** Opens the files like a server that starts after the cut. */
function recover(folder: string, databaseBytes: Buffer, log: Buffer) {
  mkdirSync(folder)
  const path = join(folder, 'parley.db')
  writeFileSync(path, databaseBytes)
  writeFileSync(`${path}-wal`, log)
  using database = new DatabaseSync(path)
  // This test only reads, so it need not sync.
  database.exec('pragma synchronous = off')
  const numbers = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Number(row['number']))
  const named = (end: string) =>
    numbers(`select cast(name as integer) as number from installation where name like '% ${end}' order by number`)
  return {
    first: named('first'),
    second: named('second'),
    events: numbers('select cast(type as integer) as number from events order by number'),
    verdict: database.prepare('pragma integrity_check').get()?.['integrity_check'],
  }
}
