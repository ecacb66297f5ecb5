import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { anyEvent } from '../../../../test/any-event.ts'
import { sized } from '../../../../test/size.ts'
import { openTestStorage, temporaryFolder } from '../../../../test/storage.ts'
import type { Storage, Transaction } from '../storage.ts'

/** What lay in the database and in its log when the sync began by which the last of the numbers became durable. */
type Moment = { acknowledged: readonly number[]; database: Buffer; log: Buffer }

/** How many writers there are at a time, and how many numbers each of them writes. */
const WRITERS = 6
const ROUNDS = sized(3, 12)

const FRAME = 24 + 4096
const LOG_HEADER = 32
const SECTOR = 512

/**
 * What lay in the files when a sync began is there after a power cut that comes when it has ended. Of what is written
 * after it any part may be lost. Each cut here takes the files as of the sync before an acknowledgement, and a beginning of
 * what the log held at the next, torn at its end as disks do it. What must be in it: every write that was acknowledged
 * until then; no write in part; a sound file. `power-loss.test.ts` mixes old and new at any place, where it can record.
 */
test('a power cut at any place of the log loses nothing acknowledged, and leaves nothing in part', async () => {
  const folder = await temporaryFolder()
  const moments = await recordMoments(join(folder, 'parley.db'))
  let cuts = 0
  let begunAnew = 0

  for (const [index, moment] of moments.entries()) {
    const next = moments[index + 1] ?? moment
    const beginsAnew = !next.log.subarray(0, LOG_HEADER).equals(moment.log.subarray(0, LOG_HEADER))
    if (beginsAnew) begunAnew++
    // Before a log begins anew, what was in it is synced in the database.
    const { database } = beginsAnew ? next : moment
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
  assert.ok(begunAnew > 0, `the log began anew ${begunAnew} times`)
})

/** Writes numbers side by side, so that they share commits, and keeps what lies on the disk at each acknowledgement. */
async function recordMoments(path: string): Promise<Moment[]> {
  const filesNow = () => ({ database: readFileSync(path), log: readFileSync(`${path}-wal`) })
  let durable: Pick<Moment, 'database' | 'log'> | undefined
  await using storage = await openTestStorage({
    url: path,
    sqliteLog: {
      checkpointAfter: 20,
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
      for (let round = 0; round < ROUNDS; round++) {
        const number = round * WRITERS + writer
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

/** Two rows and an event, which are to be there together or not at all. */
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

/** What the log may be when the power goes between two moments: `next` up to the end of some frame, then as it was. */
function cutLogs(before: Buffer, next: Buffer): Buffer[] {
  const logs = [before]
  for (let place = LOG_HEADER; place < next.length; place += FRAME) {
    if (next.subarray(0, place + FRAME).equals(before.subarray(0, place + FRAME))) continue
    const torn = TORN[logs.length % TORN.length] as (sector: Buffer) => Buffer
    const sector = torn(next.subarray(place, place + SECTOR))
    logs.push(Buffer.concat([next.subarray(0, place), sector, before.subarray(place + sector.length)]))
  }
  return logs
}

/** What the sector holds that was being written: nothing new, zeros where the file has grown, or anything. */
const TORN: ((sector: Buffer) => Buffer)[] = [
  (sector) => sector.subarray(0, 0),
  (sector) => Buffer.alloc(sector.length),
  (sector) => Buffer.from(sector.map((byte) => byte ^ 0x5a)),
  (sector) => sector,
]

/** Opens the files as a server does that starts after the cut. */
function recover(folder: string, databaseBytes: Buffer, log: Buffer) {
  mkdirSync(folder)
  const path = join(folder, 'parley.db')
  writeFileSync(path, databaseBytes)
  writeFileSync(`${path}-wal`, log)
  using database = new DatabaseSync(path)
  // What it finds is asked for, not what it writes.
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
