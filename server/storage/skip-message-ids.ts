import { CompiledQuery } from 'kysely'
import { findLastMessageId, setLastMessageId } from './counters.ts'
import type { Db, Transaction } from './storage.ts'
import { leastIdAt } from './time-ids.ts'

/**
 * Lets message ids go on beyond all that were ever given out: a database that was restored from an older copy would give
 * the ids of lost messages to others. To be called at each start. A database without organizations gave out none.
 */
export async function skipMessageIds(tx: Transaction): Promise<void> {
  const upTo = leastIdAt(tx.now)
  const realm = await tx.db.selectFrom('realms').select('id').limit(1).executeTakeFirst()
  if (realm === undefined) return
  if (tx.db.dialect === 'sqlite') await skipOnSqlite(tx.db, upTo)
  else if ((await findLastMessageId(tx.db)) < upTo) await setLastMessageId(tx, upTo)
}

/** SQLite keeps the last id of each table, once it has given one. */
async function skipOnSqlite(db: Db, upTo: number): Promise<void> {
  const run = (statement: string, values: number[]) => db.executeQuery(CompiledQuery.raw(statement, values))
  await run(`update sqlite_sequence set "seq" = max("seq", ?) where "name" = 'messages'`, [upTo])
  await run(
    `insert into sqlite_sequence ("name", "seq") select 'messages', ?
      where not exists (select 1 from sqlite_sequence where "name" = 'messages')`,
    [upTo],
  )
}
