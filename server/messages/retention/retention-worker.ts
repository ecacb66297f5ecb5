import { setImmediate as othersFirst } from 'node:timers/promises'
import { openPeriodicTask } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { deleteExpiredMessages } from './delete-expired-messages.ts'
import { findSpotsWithOver } from './spots-with-over.ts'

/** Seconds from the start to the first sweep, in which a clock that was wrong is set, and between two. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 3600

type Parts = { storage: Pick<Storage, 'db' | 'transaction' | 'isLeader' | 'onBecomeLeader'>; clock: Clock; log: Log }

/** Deletes messages when the time is over that their organization, or their channel, keeps them. */
export function openRetentionWorker({ storage, clock, log }: Parts): { close(): Promise<void> } {
  const { db, transaction, isLeader } = storage
  let dueAt = clock.now() + FIRST_RUN_DELAY
  const {
    run: round,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: sweepWhenDue,
    isResponsible: isLeader,
    onFailure: (error) => log.error({ err: error }, 'Messages whose time is over could not be deleted'),
  })

  async function sweepWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // It is longer where the clock was set back.
    if (wait > 0 && wait <= RUN_INTERVAL) return dueAt
    const goesOn = () => !isStopped() && isLeader()
    let count = 0
    for await (const container of findSpotsWithOver(db, clock.now())) {
      if (!goesOn()) break
      for (let isMore = true; isMore && goesOn(); await othersFirst()) {
        const ended = await transaction((tx) => deleteExpiredMessages(tx, container))
        count += ended.count
        isMore = ended.isMore
      }
    }
    if (count > 0) log.info({ messages: count }, 'Messages whose time was over were deleted')
    dueAt = clock.now() + RUN_INTERVAL
    return dueAt
  }

  storage.onBecomeLeader(() => void round())
  void round()
  return { close: stop }
}
