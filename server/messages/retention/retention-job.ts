import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import { deleteCanceledMails } from '#mail/delete-canceled-mails.ts'
import type { Storage } from '#storage/storage.ts'
import { deleteExpiredLocalIds } from '../sending/local-ids.ts'
import { deleteExpiredMessages } from './delete-expired-messages.ts'
import { findContainersWithExpired } from './find-containers-with-expired.ts'

/**
 * Seconds until the first run, and seconds between two runs. The first run waits so that a wrong system clock can be
 * corrected.
 */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 3600

type Parts = { storage: Pick<Storage, 'db' | 'transaction' | 'isLeader' | 'onBecomeLeader'>; clock: Clock; log: Log }

/**
 * Deletes three kinds of old data: messages that have exceeded the retention setting of their channel or organization,
 * expired local ids, and old canceled emails.
 */
export function openRetentionJob({ storage, clock, log }: Parts): Job {
  const { db, transaction, isLeader } = storage
  let dueAt = clock.now() + FIRST_RUN_DELAY
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: isLeader,
    onFailure: (error) =>
      log.error({ err: error }, 'Failed to delete expired messages, expired local ids or canceled emails'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= RUN_INTERVAL) return dueAt
    const mayContinue = () => !isStopped() && isLeader()
    let count = 0
    for await (const container of findContainersWithExpired(db, clock.now())) {
      if (!mayContinue()) break
      for (let isMore = true; isMore && mayContinue(); await yieldToOthers()) {
        const batch = await transaction((tx) => deleteExpiredMessages(tx, container))
        count += batch.count
        isMore = batch.isMore
      }
    }
    for (const deleteBatch of [deleteExpiredLocalIds, deleteCanceledMails])
      while (mayContinue() && (await transaction(deleteBatch))) await yieldToOthers()
    if (count > 0) log.info({ messages: count }, 'Deleted expired messages')
    dueAt = clock.now() + RUN_INTERVAL
    return dueAt
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}
