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
 * Advances a counter by `by` and returns its new value. Its row stays locked until the commit, so that on PostgreSQL,
 * too, values follow the order of commits; take it as late in the transaction as possible.
 */
export async function advanceCounter(tx: Transaction, name: string, by: number): Promise<number> {
  const [counter] = await advance(tx, name, by)
  if (counter === undefined) throw new Error(`The counter ${name} was not advanced`)
  return counter.value
}

/**
 * Advances a counter of ids that clients see by `count` and returns the last of these ids. After the commit this process
 * knows that it has given them out.
 */
export async function allocateIds(tx: Transaction, name: string, count: number): Promise<number> {
  const lastId = await advanceCounter(tx, name, count)
  tx.afterCommit(() => recordLastId(tx.db, name, lastId))
  return lastId
}

/** Remembers that the counter has reached `id` in a commit. */
export function recordLastId({ commitCounters: { lastIds } }: Db, name: string, id: number): void {
  if (id > (lastIds.get(name) ?? 0)) lastIds.set(name, id)
}

/** The counter of the ids of an organization's events. */
export const eventCounter = (realmId: number): string => `event:${realmId}`

/** The counter of message ids on PostgreSQL. */
const MESSAGE = 'message'

/**
 * The id for the next row of `messages`: ids follow the order of commits over the whole server. Undefined on SQLite,
 * where the table gives such ids itself.
 */
export async function nextMessageId(tx: Transaction): Promise<number | undefined> {
  return tx.db.dialect === 'postgres' ? await allocateIds(tx, MESSAGE, 1) : undefined
}

/**
 * Waits for the transactions that have saved messages, whose rows the next statement sees, and lets none save another
 * until this one ends. On SQLite transactions come one after the other.
 */
export async function lockMessageIds(tx: Transaction): Promise<void> {
  if (tx.db.dialect === 'postgres') await advanceCounter(tx, MESSAGE, 0)
}

/** The last id that `nextMessageId` has given on PostgreSQL. */
export async function findLastMessageId(db: Db): Promise<number> {
  const row = await db.selectFrom('counters').select('value').where('name', '=', MESSAGE).executeTakeFirst()
  return row?.value ?? 0
}

/** Has `nextMessageId` go on behind `id` on PostgreSQL. */
export async function setLastMessageId(tx: Transaction, id: number): Promise<void> {
  await advanceCounter(tx, MESSAGE, id - (await findLastMessageId(tx.db)))
}
