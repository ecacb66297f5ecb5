import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import type { Db } from '#storage/storage.ts'
import type { Chat } from './harness.ts'

/** Returns the number of rows of the table that the database examines while `work` reads in a transaction. */
export async function countRows(chat: Chat, table: string, work: (db: Db) => Promise<unknown>): Promise<number> {
  return chat.app.services.transaction(async ({ db }) => {
    if (db.dialect === 'sqlite') return countOnSqlite(db, table, work)
    const before = await statisticOf(db, table)
    await work(db)
    return (await statisticOf(db, table)) - before
  })
}

async function statisticOf(db: Db, table: string): Promise<number> {
  const query = `select cast(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as integer) as "count"
    from pg_stat_xact_user_tables where relname = $1`
  const { rows } = await db.executeQuery<{ count: number }>(CompiledQuery.raw(query, [table]))
  return rows[0]?.count ?? 0
}

/**
 * During `work` a view replaces the table, which makes SQLite call a function for each row before any other condition.
 */
async function countOnSqlite(db: Db, table: string, work: (db: Db) => Promise<unknown>): Promise<number> {
  const connection = await connectionOf(db)
  let count = 0
  connection.function('visit', () => {
    count += 1
    return 1
  })
  connection.exec(`create temp view "${table}" as select * from main."${table}" where visit()`)
  try {
    await work(db)
  } finally {
    connection.exec(`drop view temp."${table}"`)
  }
  return count
}

async function connectionOf(db: Db): Promise<DatabaseSync> {
  const { prepare } = DatabaseSync.prototype
  const seen: DatabaseSync[] = []
  DatabaseSync.prototype.prepare = function (text) {
    seen.push(this)
    return prepare.call(this, text)
  }
  try {
    await db.executeQuery(CompiledQuery.raw(`select 1 as "probe at ${performance.now()}"`))
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  const [connection] = seen
  if (connection === undefined) throw new Error('the statement was not prepared')
  return connection
}
