import type { CommitCounters, Db } from './storage.ts'
import type { TableName } from './tables.ts'

type CacheOptions<Key, Value> = {
  /** The tables that `load` reads: a commit to any of them empties the cache. */
  dependsOn: readonly TableName[]
  /**
   * Tables of which it reads but rows that it finds by keys: commits that only add rows to them leave the cache as it
   * is. That there is no value is not kept then, because it may be added.
   */
  dependsOnRowsOf?: readonly TableName[]
  /**
   * Whether transactions on PostgreSQL load it each time, because they may have waited for its rows; false when omitted.
   * On SQLite what is kept is as of the last commit when a transaction begins, and stays so.
   */
  isBypassedInTransactions?: boolean
  load: (db: Db, key: Key) => Promise<Value>
  /** How many values are kept; beyond it the one kept longest goes. */
  limit: number
}

export type Cache<Key, Value> = {
  /** The value as the last commit left it, or as the transaction of `db` has; at once when it is kept. */
  get(db: Db, key: Key): Value | Promise<Value>
  /** The value, if it is kept and `db` may see it. */
  peek(db: Db, key: Key): Value | undefined
}

/** What one storage has in a cache. */
type Contents<Key, Value> = { generation: number; values: Map<Key, Value>; loads: Map<Key, Promise<Value>> }

/**
 * Declares what is remembered of the database between requests. Declare it once, beside the query: what it keeps is kept
 * for each storage apart, and dropped by commits to the tables it depends on. Values are shared: never change one.
 */
export function defineCache<Key extends string | number, Value extends object | string | number | boolean | null>(
  options: CacheOptions<Key, Value>,
): Cache<Key, Value> {
  const { dependsOn, dependsOnRowsOf = [], isBypassedInTransactions: isReadAfresh = false, load, limit } = options
  const tables = [...dependsOn, ...dependsOnRowsOf]
  const contentsOf = new WeakMap<CommitCounters, Contents<Key, Value>>()

  function currentContents(commitCounters: CommitCounters): Contents<Key, Value> {
    const generation = generationOf(commitCounters, dependsOn, dependsOnRowsOf)
    const known = contentsOf.get(commitCounters)
    if (known !== undefined && known.generation === generation) return known
    const fresh = { generation, values: new Map<Key, Value>(), loads: new Map<Key, Promise<Value>>() }
    contentsOf.set(commitCounters, fresh)
    return fresh
  }

  const isPassedBy = ({ written, dialect }: Db) =>
    written !== null && ((isReadAfresh && dialect === 'postgres') || tables.some((table) => written.has(table)))

  /** After a commit `contents` are those of an earlier generation, so what is put there late is seen by nobody. */
  function keep(contents: Contents<Key, Value>, key: Key, value: Value): void {
    if (value === null && dependsOnRowsOf.length > 0) return
    if (contents.values.size >= limit) contents.values.delete(contents.values.keys().next().value as Key)
    contents.values.set(key, value)
  }

  async function loadInTransaction(db: Db, key: Key): Promise<Value> {
    const contents = currentContents(db.commitCounters)
    const value = await load(db, key)
    if (!isPassedBy(db)) keep(contents, key, value)
    return value
  }

  async function loadOnce(db: Db, contents: Contents<Key, Value>, key: Key): Promise<Value> {
    try {
      const value = await load(db, key)
      keep(contents, key, value)
      return value
    } finally {
      contents.loads.delete(key)
    }
  }

  return {
    peek: (db, key) => (isPassedBy(db) ? undefined : currentContents(db.commitCounters).values.get(key)),
    get(db, key) {
      if (isPassedBy(db)) return load(db, key)
      const contents = currentContents(db.commitCounters)
      const value = contents.values.get(key)
      if (value !== undefined) return value
      if (db.written !== null) return loadInTransaction(db, key)
      let loading = contents.loads.get(key)
      if (loading === undefined) {
        loading = loadOnce(db, contents, key)
        contents.loads.set(key, loading)
      }
      return loading
    },
  }
}

/**
 * A number that grows with each commit to one of the tables, or with each that changes the rows of others. While commits
 * may go unheard it is equal to no number, itself included.
 */
export function generationOf(
  commitCounters: CommitCounters,
  tables: readonly TableName[],
  rowTables: readonly TableName[] = [],
): number {
  if (!commitCounters.isComplete) return Number.NaN
  let generation = commitCounters.outsideCommits
  for (const table of tables) generation += commitCounters.commits.get(table) ?? 0
  for (const table of rowTables) generation += commitCounters.changes.get(table) ?? 0
  return generation
}
