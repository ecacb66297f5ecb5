import { openPeriodicTask } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { hasUnindexedMessages, indexNextBatch } from './update-search-index.ts'

/** Seconds that a message waits at most, while nobody searches. */
const MAX_DELAY = 10

/** How many commits are taken in together at once: what a search finds waiting is little work. */
const MAX_COMMITS = 100

/** Has the index of words take in what was said, behind those who say it. Searches do not depend on it. */
export type SearchIndexWorker = {
  /** Begins nothing more; resolves when what it had begun has ended. */
  close(): Promise<void>
}

type Parts = {
  storage: Pick<Storage, 'db' | 'transaction' | 'isLeader' | 'onBecomeLeader' | 'onCommit' | 'onOutsideCommit'>
  clock: Clock
  log: Log
}

export function openSearchIndexWorker({ storage, clock, log }: Parts): SearchIndexWorker {
  const { db, transaction } = storage
  let commits = 0
  let dueAt = clock.now() + MAX_DELAY
  const {
    run: round,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: takeInWhenDue,
    isResponsible: storage.isLeader,
    onFailure: (error) => log.error({ err: error }, 'The words of messages could not be taken into the index'),
  })

  async function takeInWhenDue(): Promise<number | null> {
    if (commits < MAX_COMMITS && clock.now() < dueAt) return dueAt
    commits = 0
    let areWaiting = await hasUnindexedMessages(db)
    while (areWaiting && !isStopped()) areWaiting = await transaction(indexNextBatch)
    return null
  }

  function note(): void {
    commits += 1
    if (commits === 1) dueAt = clock.now() + MAX_DELAY
    if (commits === 1 || commits === MAX_COMMITS) void round()
  }

  storage.onCommit(({ written }) => written.has('messages') && note())
  storage.onOutsideCommit(note)
  storage.onBecomeLeader(() => void round())
  void round()
  return { close: stop }
}
