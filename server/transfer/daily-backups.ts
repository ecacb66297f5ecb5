import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#lib/clock.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Storage } from '#storage/storage.ts'

// The job that makes a backup every day and deletes old ones. The time of the next one follows from the newest backup
// that exists, whatever happened to the process.

/** Seconds from one backup to the next, and from a failed attempt to the next. */
const INTERVAL = 86_400
const AFTER_FAILURE = 3600

/** Seconds from the start to the first check, so that the first requests are not delayed. */
const FIRST_LOOK = 5

type Options = {
  /** The folder that contains the backups. Each backup is a folder with its time as its name. */
  folder: string
  /** The number of backups to keep; the oldest is deleted when a new one is complete. */
  kept: number
  /** Makes a backup at the path. Nothing may exist there until the backup is complete. `signal` aborts the backup. */
  make: (path: string, signal: AbortSignal) => Promise<void>
  clock: Clock
  log: Log
  /** If several nodes share the database, the leader makes the backups. */
  storage: Pick<Storage, 'isLeader' | 'onBecomeLeader'>
}

/** Makes each backup a day after the newest existing one, regardless of restarts. */
export function openDailyBackups({ folder, kept, make, clock, log, storage }: Options): Job {
  const end = new AbortController()
  let failingSince: number | null = null
  const { run: round, stop } = openPeriodicTask({
    clock,
    work: backUpWhenDue,
    isResponsible: storage.isLeader,
    onFailure: logFailure,
  })

  async function backUpWhenDue(): Promise<number> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const wait = (await findNewestTime(folder)) + INTERVAL - clock.now()
      // The wait is longer if the clock was set back.
      if (wait > 0 && wait <= INTERVAL) return clock.now() + wait
      await make(join(folder, nameAt(clock.now())), end.signal)
      for (const name of await findSuperfluous(folder, kept)) await rm(join(folder, name), { recursive: true })
      log.info({ folder }, 'Created a backup')
      failingSince = null
      return clock.now() + INTERVAL
    } catch (error) {
      if (!end.signal.aborted) logFailure(error)
      return clock.now() + AFTER_FAILURE
    }
  }

  function logFailure(error: unknown): void {
    failingSince ??= clock.now()
    log.error({ err: error, folder }, 'The backup failed; the next attempt is in an hour')
  }

  storage.onBecomeLeader(() => void round())
  const cancelFirst = clock.schedule(clock.now() + FIRST_LOOK, round)
  return {
    wake: () => void round(),
    settled: round,
    failingSince: () => failingSince,
    async close() {
      cancelFirst()
      end.abort()
      await stop()
    },
  }
}

const NAME = /^parley-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(\.unfinished)?$/

const nameAt = (time: number) =>
  `parley-${new Date(time * 1000).toISOString().replace(/\..*/, 'Z').replaceAll(':', '-')}`

/** Returns the time of the newest complete backup in UNIX seconds; minus infinity if there is none. */
async function findNewestTime(folder: string): Promise<number> {
  const times = (await readdir(folder)).map((name) => {
    const [, day, hours, minutes, seconds, unfinished] = NAME.exec(name) ?? []
    return day === undefined || unfinished !== undefined
      ? -Infinity
      : Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) / 1000
  })
  return Math.max(-Infinity, ...times)
}

/**
 * Returns the names of the backups to delete: complete ones beyond the number to keep, and interrupted ones that are
 * older than the newest complete one. Names sort by time.
 */
async function findSuperfluous(folder: string, kept: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  const whole = names.filter((name) => !name.endsWith('.unfinished'))
  const newest = whole.at(-1) ?? ''
  const brokenOff = names.filter((name) => name.endsWith('.unfinished') && name < newest)
  return [...whole.slice(0, -kept), ...brokenOff]
}
