import { defineWrite } from './prepared-query.ts'
import type { Db, Transaction } from './storage.ts'

const advance = defineWrite('counters', (tx, name: string, by: number) =>
  tx
    .insertInto('counters')
    .values({ name, value: by })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((row) => ({ value: row('counters.value', '+', by) })))
    .returning('value'),
)

/**
 * Advances a counter by `by` and returns its new value. The row of the counter stays locked until the commit, so values
 * follow the order of commits on PostgreSQL, too. Call this as late in the transaction as possible.
 */
export async function advanceCounter(tx: Transaction, name: string, by: number): Promise<number> {
  const [counter] = await advance(tx, name, by)
  if (counter === undefined) throw new Error(`The counter ${name} was not advanced`)
  return counter.value
}

/**
 * Allocates `count` ids that clients see, and returns the last of these ids. After the commit, this process records
 * that they were used.
 */
export async function allocateIds(tx: Transaction, name: string, count: number): Promise<number> {
  const lastId = await advanceCounter(tx, name, count)
  tx.afterCommit(() => recordLastId(tx.db, name, lastId))
  return lastId
}

/** Records that the counter has reached `id` in a commit. */
export function recordLastId({ commitCounters: { lastIds } }: Db, name: string, id: number): void {
  if (id > (lastIds.get(name) ?? 0)) lastIds.set(name, id)
}

/** Returns the name of the counter for the event ids of an organization. */
export const eventCounter = (realmId: number): string => `event:${realmId}`

/** The counter of message ids on PostgreSQL. */
const MESSAGE = 'message'

/**
 * Returns the id for the next row of `messages` on PostgreSQL, where the ids of all organizations follow the order of
 * commits. Returns undefined on SQLite, because the table allocates such ids itself.
 */
export async function nextMessageId(tx: Transaction): Promise<number | undefined> {
  return tx.db.dialect === 'postgres' ? await allocateIds(tx, MESSAGE, 1) : undefined
}

/**
 * Waits until all transactions that have saved messages have ended, so that the next statement sees their rows. No
 * other transaction can save messages until this one ends. On SQLite, transactions run one after another anyway.
 */
export async function lockMessageIds(tx: Transaction): Promise<void> {
  if (tx.db.dialect === 'postgres') await advanceCounter(tx, MESSAGE, 0)
}

/** Returns the last id of `nextMessageId` on PostgreSQL. */
export async function findLastMessageId(db: Db): Promise<number> {
  const row = await db.selectFrom('counters').select('value').where('name', '=', MESSAGE).executeTakeFirst()
  return row?.value ?? 0
}

/** Makes `nextMessageId` continue after `id` on PostgreSQL. */
export async function setLastMessageId(tx: Transaction, id: number): Promise<void> {
  await advanceCounter(tx, MESSAGE, id - (await findLastMessageId(tx.db)))
}
