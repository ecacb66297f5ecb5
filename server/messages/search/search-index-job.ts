import type { Job } from '../../platform/jobs/job.ts'
import { openPeriodicTask } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { hasUnindexedMessages, indexNextBatch, indexNextBatchAgain, isIndexOutdated } from './update-search-index.ts'

/** The maximum delay in seconds before a message is indexed, if no search indexes it earlier. */
const MAX_DELAY = 10

/** The number of commits after which indexing starts at once. It keeps the backlog of a search small. */
const MAX_COMMITS = 100

/** Seconds between batches that are indexed again: 2,000 messages a second. */
const PAUSE = 0.1

type Parts = {
  storage: Pick<Storage, 'db' | 'transaction' | 'isLeader' | 'onBecomeLeader' | 'onCommit' | 'onOutsideCommit'>
  clock: Clock
  log: Log
}

/** Adds sent messages to the search index in the background. Searches do not depend on it. */
export function openSearchIndexJob({ storage, clock, log }: Parts): Job {
  const { db, transaction } = storage
  let commits = 0
  let dueAt = clock.now() + MAX_DELAY
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: async () => earliest(await indexWhenDue(), await indexAgain()),
    isResponsible: storage.isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to update the search index'),
  })

  async function indexWhenDue(): Promise<number | null> {
    if (commits < MAX_COMMITS && clock.now() < dueAt) return dueAt
    commits = 0
    let hasMore = await hasUnindexedMessages(db)
    while (hasMore && !isStopped()) hasMore = await transaction(indexNextBatch)
    return null
  }

  /** Indexes one batch again, if an older version indexed it, and pauses, so that requests hardly wait. */
  async function indexAgain(): Promise<number | null> {
    if (isStopped() || !(await isIndexOutdated(db))) return null
    return (await transaction(indexNextBatchAgain)) ? clock.now() + PAUSE : null
  }

  function onMessages(): void {
    commits += 1
    if (commits === 1) dueAt = clock.now() + MAX_DELAY
    if (commits === 1 || commits === MAX_COMMITS) void run()
  }

  storage.onCommit(({ written }) => written.has('messages') && onMessages())
  storage.onOutsideCommit(onMessages)
  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
