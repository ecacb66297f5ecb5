import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { completeSettings, readSettings } from '#config.ts'
import { type TestClock, testClock } from '#lib/clock.ts'
import { AlreadyRunning } from '#lib/errors.ts'
import { collectLog } from '../../test/collected-log.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { findSuperfluous } from './backup/retention.ts'
import { findNextTime } from './backup/schedule.ts'
import { snapshotAt } from './backup-places.ts'
import { openScheduledBackups } from './timed-jobs.ts'

/** 2030-01-05 10:00 UTC. */
const START = 1893837600
const HOUR = 3600
const DAY = 24 * HOUR

async function addBackup(folder: string, time: number, file = 'manifest.json'): Promise<void> {
  await mkdir(join(folder, snapshotAt(time)), { recursive: true })
  await writeFile(join(folder, snapshotAt(time), file), '')
}

type Parts = Partial<Parameters<typeof openScheduledBackups>[0]>

async function start({
  given = {},
  folder,
  ...parts
}: Parts & { given?: Record<string, string>; folder?: string } = {}) {
  const BACKUP_DIR = folder ?? (await temporaryFolder())
  const clock = testClock(START)
  const { log, errors } = collectLog()
  /** The times at which backups were made, in hours after the start. */
  const made: number[] = []
  const make = async () => {
    made.push((clock.now() - START) / HOUR)
    await addBackup(BACKUP_DIR, clock.now())
  }
  const settings = completeSettings(readSettings({ BACKUP_DIR, ...given }))
  const storage = { isLeader: () => true, onBecomeLeader: () => {} }
  const backups = openScheduledBackups({ settings, make, clock, log, storage, ...parts })
  return { clock, errors, backups, made, advance: (hours: number) => advanceHours(clock, hours) }
}

/** The backups read the folder, so each hour has to pass on its own. */
async function advanceHours(clock: TestClock, hours: number): Promise<void> {
  for (let passed = 0; passed < hours; passed++) await clock.advance(HOUR)
}

test('a backup is made soon after the start and then daily', async () => {
  const { advance, backups, made } = await start()

  await advance(73)

  assert.deepEqual(
    made.map((hours) => Math.floor(hours)),
    [0, 24, 48, 72],
  )
  await backups.close()
  await advance(48)
  assert.equal(made.length, 4)
})

test('a restarted server makes the next backup when the newest complete one is old enough', async () => {
  const folder = await temporaryFolder()
  await addBackup(folder, START - 22 * HOUR)
  await addBackup(folder, START - HOUR, 'parley.db')
  const { advance, backups, made } = await start({ folder })

  await advance(1)
  assert.deepEqual(made, [])
  await advance(2)

  assert.deepEqual(made, [2])
  await backups.close()
})

test('a failed backup is logged, and repeated after an hour', async () => {
  let attempts = 0
  const folder = await temporaryFolder()
  const make = async () => {
    attempts += 1
    if (attempts < 3) throw new Error('No space left on device')
    await addBackup(folder, START + 2 * HOUR)
  }
  const { advance, backups, errors } = await start({ make, folder })

  await advance(1)
  assert.deepEqual([attempts, errors.length, backups.history().failingSince], [1, 1, START + 5])
  await advance(3)

  assert.deepEqual([attempts, errors.length, backups.history().failingSince], [3, 2, null])
  await backups.close()
})

test('a backup that another one refuses is no failure, and is tried again in minutes', async () => {
  let attempts = 0
  const folder = await temporaryFolder()
  const make = async () => {
    attempts += 1
    if (attempts === 1) throw new AlreadyRunning('Another backup of this database is running')
    await addBackup(folder, START)
  }
  const { clock, backups, errors } = await start({ make, folder })

  await clock.advance(10)
  await clock.advance(300)

  assert.deepEqual([attempts, errors, backups.history().failures], [2, [], 0])
  await backups.close()
})

test('of several nodes the leader makes the backups, from when it becomes the leader', async () => {
  let leads = false
  const listeners: (() => void)[] = []
  const storage = { isLeader: () => leads, onBecomeLeader: (listener: () => void) => void listeners.push(listener) }
  const { advance, backups, made } = await start({ storage })

  await advance(24)
  assert.deepEqual(made, [])
  leads = true
  for (const listener of listeners) listener()
  await backups.settled()

  assert.equal(made.length, 1)
  await backups.close()
})

test('a stopping server aborts its backup without logging a failure', async () => {
  const begun = Promise.withResolvers<void>()
  const make = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      begun.resolve()
    })
  const { clock, backups, errors } = await start({ make })

  void clock.advance(10)
  await begun.promise
  await backups.close()

  assert.deepEqual(errors, [])
})

/** Returns a time of the day of the start in the time zone of this process. */
const at = (hours: number, minutes = 0, day = 5) => new Date(2030, 0, day, hours, minutes).getTime() / 1000

test('backups are due at their time of the day, and at once if one was missed', () => {
  const daily = { everyHours: 24, time: { hours: 3, minutes: 30 } }
  const often = { ...daily, everyHours: 6 }

  assert.equal(findNextTime(daily, at(3, 31), at(10)), at(3, 30, 6))
  assert.equal(findNextTime(daily, at(3, 29), at(3, 30)), at(3, 30))
  assert.equal(findNextTime(daily, at(9), at(23, 59)), at(3, 30, 6))
  assert.equal(findNextTime(daily, at(3, 30, 4), at(10)), at(10), 'the server was off at 3:30')
  assert.equal(findNextTime(daily, at(10, 0, 9), at(10)), at(10), 'the clock was set back')
  assert.equal(findNextTime(often, at(9, 31), at(10)), at(15, 30))
  assert.equal(findNextTime(often, at(21, 31), at(22)), at(3, 30, 6))
  assert.equal(findNextTime({ everyHours: 6, time: null }, at(9), at(10)), at(15))
  assert.equal(findNextTime({ everyHours: 6, time: null }, null, at(10)), at(10))
})

test('a retention keeps the newest of each period, and always the newest verified backup', () => {
  const backups = Array.from({ length: 400 }, (_, day) => ({
    createdAt: START - day * DAY,
    isVerified: false,
    isDamaged: false,
  }))
  const keep = (retention: Parameters<typeof findSuperfluous>[1]['retention'], list = backups) => {
    const deleted = new Set(findSuperfluous(list, { retention, count: 3 }))
    return list
      .filter((backup) => !deleted.has(backup))
      .map(({ createdAt }) => new Date(createdAt * 1000).toJSON().slice(0, 10))
  }
  const verified = backups.map((backup, day) => ({ ...backup, isVerified: day >= 100 }))

  assert.deepEqual(keep([]), ['2030-01-05', '2030-01-04', '2030-01-03'])
  assert.deepEqual(keep([], verified), ['2030-01-05', '2030-01-04', '2030-01-03', '2029-09-27'])
  assert.deepEqual(
    keep([
      [2, 'd'],
      [3, 'w'],
      [3, 'm'],
      [2, 'y'],
    ]),
    ['2030-01-05', '2030-01-04', '2029-12-30', '2029-12-31', '2029-12-23', '2029-11-30'].sort().reverse(),
  )
  assert.deepEqual(keep([[0, 'd']]), ['2030-01-05'], 'the newest is never deleted')
  const damaged = backups.slice(0, 20).map((backup, day) => ({ ...backup, isDamaged: day === 1 || day === 2 }))
  assert.deepEqual(keep([], damaged), ['2030-01-05', '2030-01-04', '2030-01-03', '2030-01-02', '2030-01-01'])
})
