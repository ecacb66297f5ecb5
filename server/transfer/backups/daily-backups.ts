import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openPeriodicTask } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'

/** Seconds between two backups, and after one that failed. */
const INTERVAL = 86_400
const AFTER_FAILURE = 3600

/** Seconds from the start to the first look: whoever waited for the server comes first. */
const FIRST_LOOK = 5

type Options = {
  /** Where the backups lie, each a folder named by its time. */
  folder: string
  /** How many stay; the oldest goes when a new one is whole. */
  kept: number
  /** Makes one under the path, which is not there before it is whole; gives up when `signal` says so. */
  make: (path: string, signal: AbortSignal) => Promise<void>
  clock: Clock
  log: Log
  /** Of several nodes the one that leads makes them. */
  storage: Pick<Storage, 'isLeader' | 'onBecomeLeader'>
}

/** Makes a backup a day, counted from the newest that is there, whoever started the server how often in between. */
export function openDailyBackups({ folder, kept, make, clock, log, storage }: Options): { close(): Promise<void> } {
  const end = new AbortController()
  const { run: round, stop } = openPeriodicTask({
    clock,
    work: backUpWhenDue,
    isResponsible: storage.isLeader,
    onFailure: tellOfFailure,
  })

  async function backUpWhenDue(): Promise<number> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const wait = (await findNewestTime(folder)) + INTERVAL - clock.now()
      // It is longer where the clock was set back.
      if (wait > 0 && wait <= INTERVAL) return clock.now() + wait
      await make(join(folder, nameAt(clock.now())), end.signal)
      for (const name of await findSuperfluous(folder, kept)) await rm(join(folder, name), { recursive: true })
      log.info({ folder }, 'A backup was made')
      return clock.now() + INTERVAL
    } catch (error) {
      if (!end.signal.aborted) tellOfFailure(error)
      return clock.now() + AFTER_FAILURE
    }
  }

  function tellOfFailure(error: unknown): void {
    log.error({ err: error, folder }, 'No backup was made; the next attempt is in an hour')
  }

  storage.onBecomeLeader(() => void round())
  const cancelFirst = clock.schedule(clock.now() + FIRST_LOOK, round)
  return {
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

/** UNIX seconds of the newest whole one; minus infinity where there is none. */
async function findNewestTime(folder: string): Promise<number> {
  const times = (await readdir(folder)).map((name) => {
    const [, day, hours, minutes, seconds, unfinished] = NAME.exec(name) ?? []
    return day === undefined || unfinished !== undefined
      ? -Infinity
      : Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) / 1000
  })
  return Math.max(-Infinity, ...times)
}

/** Whole ones beyond those that are kept, and what broke off before the newest of them: names sort by their times. */
async function findSuperfluous(folder: string, kept: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  const whole = names.filter((name) => !name.endsWith('.unfinished'))
  const newest = whole.at(-1) ?? ''
  const brokenOff = names.filter((name) => name.endsWith('.unfinished') && name < newest)
  return [...whole.slice(0, -kept), ...brokenOff]
}
