import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Storage } from '#storage/storage.ts'
import { hasUnindexedMessages, indexNextBatch, indexNextBatchAgain, isIndexOutdated } from './update-search-index.ts'

/** The maximum number of seconds before a message is indexed if no search indexes it earlier. */
const MAX_DELAY = 10

/**
 * The number of commits after which indexing starts immediately. This keeps the backlog that a search must index small.
 */
const MAX_COMMITS = 100

/** Seconds between two batches that are indexed again. This allows 2,000 messages a second. */
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

  /**
   * Indexes one batch of messages again if an older version indexed them. The pause after each batch keeps requests
   * from waiting.
   */
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
