import { CompiledQuery } from 'kysely'
import { findLastMessageId, setLastMessageId } from './counters.ts'
import type { Db, Transaction } from './storage.ts'

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
