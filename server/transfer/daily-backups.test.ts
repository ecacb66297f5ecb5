import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testClock } from '#lib/clock.ts'
import { collectLog } from '../../test/collected-log.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { openDailyBackups } from './timed-jobs.ts'

/** 2030-01-05 10:00 UTC. */
const START = 1893837600
const DAY = 86_400

type Parts = Partial<Parameters<typeof openDailyBackups>[0]>

async function start(parts: Parts = {}) {
  const folder = parts.folder ?? (await temporaryFolder())
  const clock = testClock(START)
  const { log, errors } = collectLog()
  const make = async (path: string) => void (await mkdir(path))
  const storage = { isLeader: () => true, onBecomeLeader: () => {} }
  const backups = openDailyBackups({ folder, kept: 7, make, clock, log, storage, ...parts })
  return { folder, clock, errors, backups, names: async () => (await readdir(folder)).sort() }
}

test('a backup is made soon after the start and then daily, and the oldest is deleted', async () => {
  const { clock, backups, names } = await start({ kept: 2 })

  await clock.advance(10)
  assert.deepEqual(await names(), ['parley-2030-01-05T10-00-05Z'])
  await clock.advance(DAY * 3)
  assert.deepEqual(await names(), ['parley-2030-01-07T10-00-05Z', 'parley-2030-01-08T10-00-05Z'])

  await backups.close()
  await clock.advance(DAY * 3)
  assert.equal((await names()).length, 2)
})

test('a restarted server makes the next backup when the newest is a day old, and keeps other files', async () => {
  const folder = await temporaryFolder()
  for (const name of ['parley-2030-01-04T12-00-00Z', 'by hand', 'parley-2030-01-04T12-00-00Z.unfinished'])
    await mkdir(join(folder, name))
  await writeFile(join(folder, 'parley-notes'), '')
  const { clock, backups, names } = await start({ folder, kept: 1 })

  await clock.advance(7100)
  assert.equal((await names()).length, 4)
  await clock.advance(200)

  assert.deepEqual(await names(), ['by hand', 'parley-2030-01-05T12-00-00Z', 'parley-notes'])
  await backups.close()
})

test('a failed backup is logged, keeps the others, and is repeated after an hour', async () => {
  let attempts = 0
  const make = async (path: string) => {
    attempts += 1
    if (attempts < 3) throw new Error('No space left on device')
    await mkdir(path)
  }
  const { clock, backups, names, errors } = await start({ make, kept: 1 })

  await clock.advance(3500)
  assert.deepEqual([attempts, errors.length, await names(), backups.history().failingSince], [1, 1, [], START + 5])
  await clock.advance(3600 * 2)

  assert.deepEqual([attempts, errors.length, (await names()).length, backups.history().failingSince], [3, 2, 1, null])
  await backups.close()
})

test('of several nodes the leader makes the backups, from when it becomes the leader', async () => {
  let leads = false
  const listeners: (() => void)[] = []
  const storage = { isLeader: () => leads, onBecomeLeader: (listener: () => void) => void listeners.push(listener) }
  const { clock, backups, names } = await start({ storage })

  await clock.advance(DAY)
  assert.deepEqual(await names(), [])
  leads = true
  for (const listener of listeners) listener()
  while ((await names()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))

  await backups.close()
})

test('a stopping server aborts its backup without logging a failure', async () => {
  const make = (_: string, signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const { clock, backups, errors } = await start({ make })

  void clock.advance(10)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await backups.close()

  assert.deepEqual(errors, [])
})
