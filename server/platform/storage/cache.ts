import type { CommitCounters, Db } from './storage.ts'
import type { TableName } from './tables.ts'

type CacheOptions<Key, Value> = {
  /** The tables that `load` reads: a commit to any of them empties the cache. */
  dependsOn: readonly TableName[]
  /**
   * The tables from which `load` reads only rows found by key. Commits that only insert rows into them keep the cache.
   * Missing values are not cached then, because their rows may be inserted later.
   */
  dependsOnRowsOf?: readonly TableName[]
  /**
   * True if transactions on PostgreSQL bypass the cache, because rows may have changed while a transaction waited for a
   * lock; false if omitted. On SQLite, the cached value is from the last commit before the transaction and cannot
   * change during it.
   */
  isBypassedInTransactions?: boolean
  load: (db: Db, key: Key) => Promise<Value>
  /** The maximum number of values. The oldest value is dropped first. */
  limit: number
}

type Cache<Key, Value> = {
  /**
   * Returns the value as of the last commit, or as the transaction of `db` sees it. Returns a promise unless the value
   * is cached.
   */
  get(db: Db, key: Key): Value | Promise<Value>
  /** Returns the value if it is cached and `db` may see it. */
  peek(db: Db, key: Key): Value | undefined
}

/** The contents of a cache for one storage. */
type Contents<Key, Value> = { generation: number; values: Map<Key, Value>; loads: Map<Key, Promise<Value>> }

/**
 * Declares a cache of values from the database. Declare it once, next to its query. Each storage has its own contents,
 * and commits to the declared tables empty them. Values are shared, so they must not be changed.
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

  /**
   * Caches a value. After a commit, `contents` belong to an earlier generation, so a value that is loaded late is never
   * read.
   */
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
 * Returns a number that increases with each commit to one of the tables, and with each commit that changes rows of
 * `rowTables`. While commits may be missing, the result is NaN, so that it equals no other result.
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
