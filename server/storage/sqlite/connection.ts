import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'
import { clampToInt64, toStorableText } from '../sql.ts'

/** The maximum number of prepared statements per connection; preparing one takes four times as long as running it. */
const MAX_PREPARED = 400

type Prepared = { statement: StatementSync; columns: readonly string[] }

export type SqliteConnection = {
  readonly database: DatabaseSync
  run(query: CompiledQuery): QueryResult<unknown>
}

/** Runs compiled queries on `database` and keeps the most recently used statements prepared. */
export function sqliteConnection(database: DatabaseSync): SqliteConnection {
  const kept = new Map<string, Prepared>()

  function prepare(sql: string): Prepared {
    const known = kept.get(sql)
    if (known !== undefined) {
      // As long as the cache is not full, nothing is evicted, and the order does not matter.
      if (kept.size === MAX_PREPARED) {
        kept.delete(sql)
        kept.set(sql, known)
      }
      return known
    }
    const statement = database.prepare(sql)
    const columns = statement.columns().map((column) => column.name)
    if (columns.length > 0) statement.setReturnArrays(true)
    const prepared = { statement, columns }
    if (kept.size >= MAX_PREPARED) kept.delete(kept.keys().next().value as string)
    kept.set(sql, prepared)
    return prepared
  }

  return {
    database,
    run(query) {
      const { statement, columns } = prepare(query.sql)
      const values = query.parameters.map(toSqliteValue)
      if (columns.length > 0) {
        return { rows: (statement.all(...values) as unknown as unknown[][]).map((row) => toRow(columns, row)) }
      }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
  }
}

function toRow(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i]
  return row
}

function toSqliteValue(value: unknown): SQLInputValue {
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint') return clampToInt64(value)
  return value as SQLInputValue
}

/** Lets the reads of one turn of the event loop share a snapshot: taking one costs as much as a small read. */
export type SharedSnapshot = {
  /** Makes reads see the commits up to now, and no later ones, until the turn ends or `release` is called. */
  hold(): void
  /** Like `hold`, but the current or a new snapshot lasts until `release`, even beyond the turn. */
  pin(): void
  /** True if the snapshot outlasts the turn. */
  readonly isPinned: boolean
  /** Lets the next read see all commits. */
  release(): void
}

/** `database` is a read-only connection. */
export function sharedSnapshot(database: DatabaseSync): SharedSnapshot {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  /** A transaction takes its snapshot at its first read. */
  const touch = database.prepare('select 1 from "sqlite_schema" limit 1')
  let isHeld = false
  let isKept = false

  function release(): void {
    isKept = false
    if (!isHeld) return
    isHeld = false
    end.run()
  }

  function hold(): void {
    if (isHeld) return
    begin.run()
    isHeld = true
  }

  return {
    hold() {
      if (isHeld) return
      hold()
      setImmediate(() => isKept || release())
    },
    pin() {
      hold()
      touch.get()
      isKept = true
    },
    get isPinned() {
      return isKept
    },
    release,
  }
}
