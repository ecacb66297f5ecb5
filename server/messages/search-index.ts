import type { Clock } from '#lib/clock.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { advanceCounter } from '#storage/counters.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import { saveTokens } from './search/save-tokens.ts'

// The index of the full-text search. Messages are indexed after their commit, in the order of their ids, by a job or
// by the next search, so a search always includes all messages that were sent before it, within a limit on the
// backlog.

/** The counter that holds the id of the last indexed message. */
const INDEXED_UP_TO = 'words'

/**
 * The counter that holds the id of the last message that was indexed again. It is missing when all messages have been
 * indexed again.
 */
const INDEXED_AGAIN_UP_TO = 'words again'

/**
 * The maximum number of messages that one transaction indexes. Such a transaction takes a few milliseconds, during
 * which SQLite blocks other writers.
 */
const BATCH_SIZE = 200

/**
 * The maximum number of batches that a search indexes. The worker keeps the backlog smaller than that, except after
 * bulk inserts.
 */
const MAX_BATCHES_PER_SEARCH = 5

type IndexStorage = { db: Db; transaction: RunTransaction }

/**
 * Indexes all messages that have been committed before the call. Do not call it in a transaction. `onProgress` receives
 * the id of the last indexed message and the id of the newest message.
 */
export async function updateSearchIndex(
  storage: IndexStorage,
  onProgress?: (indexed: number, newest: number) => void,
): Promise<void> {
  await indexBatches(storage, Number.POSITIVE_INFINITY, onProgress)
}

/**
 * Indexes committed messages before a search: at most the oldest 1,000 of the backlog. The worker indexes the others.
 * Do not call it in a transaction.
 */
export async function updateSearchIndexForSearch(storage: IndexStorage): Promise<void> {
  await indexBatches(storage, MAX_BATCHES_PER_SEARCH)
}

async function indexBatches(
  { db, transaction }: IndexStorage,
  max: number,
  onProgress?: (indexed: number, newest: number) => void,
): Promise<void> {
  const first = await findProgress(db)
  let progress = first
  for (let batch = 0; batch < max && progress.indexed < Math.min(progress.newest, first.newest); batch++) {
    onProgress?.(progress.indexed, first.newest)
    await transaction(indexNextBatch)
    progress = await findProgress(db)
  }
}

/** Makes indexing start again from the first message. The index must be empty. */
export async function restartSearchIndex(tx: Transaction): Promise<void> {
  await tx.deleteFrom('counters').where('name', 'in', [INDEXED_UP_TO, INDEXED_AGAIN_UP_TO]).execute()
}

/** Returns the id up to which all messages are indexed. */
export async function findIndexedUpTo(db: Db): Promise<number> {
  return (await findProgress(db)).indexed
}

/**
 * Indexes the messages of an organization with ids above `after`, whatever the progress of the index: those that it
 * brought from another database, or that the job has passed over while the organization could not be changed.
 */
export async function indexMessagesAfter(tx: Transaction, realmId: number, after: number): Promise<void> {
  for (let last = after; ; ) {
    const messages = await selectOfRealm(tx.db, realmId, last)
    const newest = messages.at(-1)
    if (newest === undefined) return
    await saveTokens(tx, messages)
    last = newest.id
  }
}

/**
 * Indexes all messages, and continues after `id` from now on: messages with smaller ids that come from another database
 * bring their words. No other transaction may save messages meanwhile.
 */
export async function passIndexedIds(tx: Transaction, id: number): Promise<void> {
  while (await indexNextBatch(tx));
  const indexed = await advanceCounter(tx, INDEXED_UP_TO, 0)
  if (id > indexed) await advanceCounter(tx, INDEXED_UP_TO, id - indexed)
}

const selectOfRealm = defineQuery((db, realmId: number, after: number) =>
  db
    .selectFrom('messages')
    .select(['id', 'topic', 'renderedContent'])
    .where('realmId', '=', realmId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH_SIZE),
)

async function hasUnindexedMessages(db: Db): Promise<boolean> {
  const { newest, indexed } = await findProgress(db)
  return indexed < newest
}

/** Indexes the oldest messages of the backlog. Returns true if there may be more. */
export async function indexNextBatch(tx: Transaction): Promise<boolean> {
  const indexed = await advanceCounter(tx, INDEXED_UP_TO, 0)
  const messages = await lockUnindexed(tx.db, indexed)
  const last = messages.at(-1)
  if (last === undefined) return false
  await saveTokens(tx, messages)
  await advanceCounter(tx, INDEXED_UP_TO, last.id - indexed)
  return messages.length === BATCH_SIZE
}

/** Returns true if an older version indexed some of the messages. */
async function isIndexOutdated(db: Db): Promise<boolean> {
  return (await selectAgain(db))[0] !== undefined
}

const selectAgain = defineQuery((db) =>
  db.selectFrom('counters').select('value').where('name', '=', INDEXED_AGAIN_UP_TO),
)

/** Reindexes the oldest messages that an older version indexed. Returns true if there may be more. */
async function indexNextBatchAgain(tx: Transaction): Promise<boolean> {
  const indexed = await advanceCounter(tx, INDEXED_UP_TO, 0)
  const [start] = await selectAgain(tx.db)
  if (start === undefined) return false
  const messages = (await lockUnindexed(tx.db, start.value)).filter(({ id }) => id <= indexed)
  await saveTokens(tx, messages)
  const last = messages.at(-1)
  if (last !== undefined && messages.length === BATCH_SIZE)
    await advanceCounter(tx, INDEXED_AGAIN_UP_TO, last.id - start.value)
  else await tx.deleteFrom('counters').where('name', '=', INDEXED_AGAIN_UP_TO).execute()
  return messages.length === BATCH_SIZE
}

/**
 * Reads the next messages to index. On PostgreSQL, this waits for concurrent changes to them, and blocks new changes
 * until the transaction ends.
 */
const lockUnindexed = defineQuery((db, indexed: number) =>
  db
    .selectFrom('messages')
    .select(['id', 'topic', 'renderedContent'])
    .where('id', '>', indexed)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .forShare(),
)

async function findProgress(db: Db): Promise<{ newest: number; indexed: number }> {
  const [progress] = await selectProgress(db)
  return { newest: progress?.newest ?? 0, indexed: progress?.indexed ?? 0 }
}

const selectProgress = defineQuery((db) =>
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom('messages')
      .select(({ fn }) => fn.max('id').as('id'))
      .as('newest'),
    selectFrom('counters').select('value').where('name', '=', INDEXED_UP_TO).as('indexed'),
  ]),
)

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
  const { run, stop, isStopped, history } = openPeriodicTask({
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
  return { wake: () => void run(), settled: run, close: stop, history }
}

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)
