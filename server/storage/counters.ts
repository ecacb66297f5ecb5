import { CompiledQuery } from 'kysely'
import { defineWrite } from './sql.ts'
import type { Db, Storage, Transaction } from './storage.ts'

// Ids and numbers that follow the order of commits, which PostgreSQL does not promise for its own ids: clients that
// have seen an id never miss a smaller one that is committed later. A database that was restored from an older copy
// does not use ids of lost messages again.

const advance = defineWrite('counters', (tx, name: string, by: number) =>
  tx
    .insertInto('counters')
    .values({ name, value: by })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ eb, ref }) => ({
        value: eb(ref('counters.value'), '+', eb(ref('counters.step'), '*', by)),
      })),
    )
    .returning(['value', 'step', 'recipientChanges']),
)

async function advanceRow(tx: Transaction, name: string, by: number) {
  const [counter] = await advance(tx, name, by)
  if (counter === undefined) throw new Error(`The counter ${name} was not advanced`)
  return counter
}

/**
 * Advances a counter by `by` and returns its new value. The row of the counter stays locked until the commit, so values
 * follow the order of commits on PostgreSQL, too. Call this as late in the transaction as possible.
 */
export async function advanceCounter(tx: Transaction, name: string, by: number): Promise<number> {
  return (await advanceRow(tx, name, by)).value
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

/** Ids that follow each other: `first`, `first + step`, … */
export type IdSeries = { first: number; step: number }

/**
 * Returns the ids for the next `count` rows of `messages` on PostgreSQL, where the ids of all organizations follow the
 * order of commits. Returns undefined on SQLite, because the table allocates such ids itself.
 */
export async function nextMessageIds(tx: Transaction, count: number): Promise<IdSeries | undefined> {
  if (tx.db.dialect === 'sqlite') return undefined
  const { value: lastId, step } = await advanceMessageIds(tx, count)
  tx.afterCommit(() => recordLastId(tx.db, MESSAGE, lastId))
  return { first: lastId - (count - 1) * step, step }
}

/** Advances the counter of message ids, and learns whether this process knows all changes of recipients. */
async function advanceMessageIds(tx: Transaction, by: number) {
  const counter = await advanceRow(tx, MESSAGE, by)
  tx.db.knowsRecipients = tx.db.commitCounters.recipientChanges.isUpTo(counter.recipientChanges)
  return counter
}

/**
 * Waits until all transactions that have saved messages have ended, so that the next statement sees their rows. No
 * other transaction can save messages until this one ends. On SQLite, transactions run one after another anyway.
 */
export async function lockMessageIds(tx: Transaction): Promise<void> {
  if (tx.db.dialect === 'postgres') await advanceMessageIds(tx, 0)
}

const countChange = defineWrite('counters', (tx, name: string) =>
  tx
    .insertInto('counters')
    .values({ name, value: 0, recipientChanges: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ recipientChanges: row('counters.recipientChanges', '+', 1) })),
    )
    .returning('recipientChanges'),
)

/** The transactions that have counted their change of recipients. */
const counted = new WeakSet<Transaction>()

/**
 * Like `lockMessageIds`, for a transaction that changes who receives messages. It counts the change, so that other
 * transactions notice whether the subscribers that their process remembers are current. Every transaction that changes
 * rows of `users` or `subscriptions` does this at its end at the latest. Further calls have no effect.
 */
export async function lockRecipients(tx: Transaction): Promise<void> {
  if (tx.db.dialect === 'sqlite' || counted.has(tx)) return
  counted.add(tx)
  const [row] = await countChange(tx, MESSAGE)
  const change = row?.recipientChanges ?? 0
  tx.notifyNodes('recipient-changes', [change])
  tx.afterCommit(() => tx.db.commitCounters.recipientChanges.note(change))
}

/** Keeps the number of the last change of recipients that this process knows, from the start of the storage. */
export async function followRecipientChanges(storage: Storage): Promise<void> {
  const { db } = storage
  const { commitCounters } = db
  const { recipientChanges } = commitCounters
  let [readings, finished] = [0, 0]
  const readNumber = async () => {
    readings += 1
    const reading = readings
    recipientChanges.forget()
    try {
      const rows = db.selectFrom('counters').select('recipientChanges').where('name', '=', MESSAGE)
      const change = (await rows.executeTakeFirst())?.recipientChanges ?? 0
      if (reading !== readings) return
      // Values that were remembered before the number was read may lack some of these changes.
      commitCounters.outsideCommits += 1
      recipientChanges.startAfter(change)
    } finally {
      finished += 1
    }
  }
  recipientChanges.onUnknown = () => {
    if (finished === readings) void readNumber().catch(() => undefined)
  }
  storage.onNodeNotification('recipient-changes', (changes) => {
    for (const change of changes) recipientChanges.note(Number(change))
  })
  storage.onOutsideCommit(() => void readNumber().catch(() => undefined))
  await readNumber()
}

/** Returns the last id of `nextMessageIds` on PostgreSQL. */
export async function findLastMessageId(db: Db): Promise<number> {
  const row = await db.selectFrom('counters').select('value').where('name', '=', MESSAGE).executeTakeFirst()
  return row?.value ?? 0
}

/** Makes `nextMessageIds` continue after `id` on PostgreSQL. */
export async function setLastMessageId(tx: Transaction, id: number): Promise<void> {
  const { value, step } = await advanceRow(tx, MESSAGE, 0)
  await advanceCounter(tx, MESSAGE, Math.ceil((id - value) / step))
}

/** Makes `nextMessageIds` continue after `id` on PostgreSQL, unless it is already there. */
export async function reachMessageId(tx: Transaction, id: number): Promise<void> {
  await lockMessageIds(tx)
  if (id > (await findLastMessageId(tx.db))) await setLastMessageId(tx, id)
}

/**
 * Lets the ids of messages on PostgreSQL advance by `step`, beginning after `after` and all allocated ones, so that each
 * leaves `number` when divided by `step`.
 */
export async function keepMessageIdsApart(
  tx: Transaction,
  { step, number, after }: { step: number; number: number; after: number },
): Promise<void> {
  const known = await advanceRow(tx, MESSAGE, 0)
  if (known.step === step && known.value % step === number) return
  const value = (Math.floor(Math.max(known.value, after) / step) + 1) * step + number
  await tx.updateTable('counters').set({ value, step }).where('name', '=', MESSAGE).execute()
}

/**
 * The number of message ids that a start skips for each second since the last time recorded in the database. If a
 * server has sent more messages per second since then, on average, it can repeat ids after a restore. A larger number
 * would reach ids beyond 2^31 in years rather than decades, and some clients cannot represent such ids.
 */
const IDS_PER_SECOND = 20

/** The row of `installation` with the time of the last start. */
const LAST_START = 'last start'

/**
 * Skips all message ids that may have been used after the last time recorded in the database. Otherwise, a database
 * restored from an older copy would use the ids of lost messages again. It must be called at each start.
 */
export async function skipMessageIds(tx: Transaction): Promise<void> {
  const knownUntil = await findLastMoment(tx.db)
  const skipped = knownUntil === null ? 0 : Math.ceil(Math.max(0, tx.now - knownUntil) * IDS_PER_SECOND)
  if (skipped > 0 && tx.db.dialect === 'sqlite') await skipOnSqlite(tx.db, skipped)
  else if (skipped > 0) await setLastMessageId(tx, (await findLastMessageId(tx.db)) + skipped)
  await saveStart(tx)
}

/** Returns the time of the newest message or of the last start, whichever is later; null if there is neither. */
async function findLastMoment(db: Db): Promise<number | null> {
  const start = await db.selectFrom('installation').select('value').where('name', '=', LAST_START).executeTakeFirst()
  const newest = await db.selectFrom('messages').select('sentAt').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const moments = [start === undefined ? null : Number(start.value), newest?.sentAt ?? null]
  return moments.reduce((one, other) => (one === null || other === null ? (one ?? other) : Math.max(one, other)))
}

async function saveStart(tx: Transaction): Promise<void> {
  const row = { name: LAST_START, value: String(tx.now) }
  await tx
    .insertInto('installation')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
    .execute()
}

/** Skips ids of messages. SQLite stores the last id of a table only once the table has allocated an id. */
async function skipOnSqlite(db: Db, skipped: number): Promise<void> {
  const run = (statement: string, values: number[]) => db.executeQuery(CompiledQuery.raw(statement, values))
  await run(`update sqlite_sequence set "seq" = "seq" + ? where "name" = 'messages'`, [skipped])
  await run(
    `insert into sqlite_sequence ("name", "seq") select 'messages', ?
      where not exists (select 1 from sqlite_sequence where "name" = 'messages')`,
    [skipped],
  )
}
