import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Storage } from '#storage/storage.ts'
import { countNextMessages } from './queries.ts'

/** Seconds until the first run, and between two runs. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 3600

type Parts = { storage: Pick<Storage, 'transaction' | 'isLeader' | 'onBecomeLeader'>; clock: Clock; log: Log }

/** Opens the job that counts the messages of each day, for the page that shows the usage of an organization. */
export function openMessageCountJob({ storage, clock, log }: Parts): Job {
  let dueAt = clock.now() + FIRST_RUN_DELAY
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: storage.isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to count messages'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= RUN_INTERVAL) return dueAt
    while (!isStopped() && storage.isLeader() && (await storage.transaction(countNextMessages))) await yieldToOthers()
    dueAt = clock.now() + RUN_INTERVAL
    return dueAt
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}
