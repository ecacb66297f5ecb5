import { advanceCounter } from '../../platform/storage/counters.ts'
import { defineQuery } from '../../platform/storage/prepared-query.ts'
import type { Db, RunTransaction, Transaction } from '../../platform/storage/storage.ts'
import { saveTokens } from './save-tokens.ts'

/** The counter that says up to which message the index has taken in the words. */
const INDEXED_UP_TO = 'words'

/** Messages of one transaction: some milliseconds, in which on SQLite nobody else writes. */
const BATCH_SIZE = 200

/** Batches that one search takes in at most. Fewer messages wait for the background, unless others filled the table. */
const MAX_BATCHES_OF_SEARCH = 5

type Parts = { db: Db; transaction: RunTransaction }

/**
 * Lets every message that is committed by now be found by its words. Not to be called in a transaction. `onProgress` hears
 * how far it is, as an id, and how far it has to come.
 */
export async function updateSearchIndex(
  parts: Parts,
  onProgress?: (takenIn: number, newest: number) => void,
): Promise<void> {
  await indexBatches(parts, Number.POSITIVE_INFINITY, onProgress)
}

/**
 * The same for a search, unless more than 1,000 messages wait: then the oldest 1,000 of them are taken in, and the
 * background takes in the others. Not to be called in a transaction.
 */
export async function updateSearchIndexForSearch(parts: Parts): Promise<void> {
  await indexBatches(parts, MAX_BATCHES_OF_SEARCH)
}

async function indexBatches(
  { db, transaction }: Parts,
  max: number,
  onProgress?: (takenIn: number, newest: number) => void,
): Promise<void> {
  const first = await findProgress(db)
  let extent = first
  for (let batch = 0; batch < max && extent.takenIn < Math.min(extent.newest, first.newest); batch++) {
    onProgress?.(extent.takenIn, first.newest)
    await transaction(indexNextBatch)
    extent = await findProgress(db)
  }
}

/** Has the words of all messages taken in anew: the index holds none. */
export async function restartSearchIndex(tx: Transaction): Promise<void> {
  await tx.deleteFrom('counters').where('name', '=', INDEXED_UP_TO).execute()
}

/** Whether there are messages whose words the index has not taken in. */
export async function hasUnindexedMessages(db: Db): Promise<boolean> {
  const { newest, takenIn } = await findProgress(db)
  return takenIn < newest
}

/** Takes in the words of the messages that have waited longest; whether there may be more. */
export async function indexNextBatch(tx: Transaction): Promise<boolean> {
  const takenIn = await advanceCounter(tx, INDEXED_UP_TO, 0)
  const messages = await lockUnindexed(tx.db, takenIn)
  const last = messages.at(-1)
  if (last === undefined) return false
  await saveTokens(tx, messages)
  await advanceCounter(tx, INDEXED_UP_TO, last.id - takenIn)
  return messages.length === BATCH_SIZE
}

/** On PostgreSQL it waits for whoever is changing or deleting one of them, and lets nobody do so until the end. */
const lockUnindexed = defineQuery((db, takenIn: number) =>
  db
    .selectFrom('messages')
    .select(['id', 'topic', 'renderedContent'])
    .where('id', '>', takenIn)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .forShare(),
)

async function findProgress(db: Db): Promise<{ newest: number; takenIn: number }> {
  const [extent] = await selectProgress(db)
  return { newest: extent?.newest ?? 0, takenIn: extent?.takenIn ?? 0 }
}

const selectProgress = defineQuery((db) =>
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom('messages')
      .select(({ fn }) => fn.max('id').as('id'))
      .as('newest'),
    selectFrom('counters').select('value').where('name', '=', INDEXED_UP_TO).as('takenIn'),
  ]),
)
