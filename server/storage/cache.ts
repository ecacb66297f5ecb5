import type { CommitCounters, Db, TableSet, Transaction } from './storage.ts'
import type { TableName } from './tables.ts'

// Caches of values from the database. A cache names the tables that it reads, and a commit that writes one of them,
// in this process or another, empties it or updates single values. A transaction never sees a cached value that a
// commit has made stale. So no code invalidates a cache by hand.

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
   * lock; false if omitted. A cache of who receives messages is used once the transaction holds the counter of message
   * ids and this process knows all changes. On SQLite, the cached value is from the last commit before the transaction
   * and cannot change during it.
   */
  isBypassedInTransactions?: boolean | 'without the message ids'
  load: (db: Db, key: Key) => Promise<Value>
  /** Returns the existing values of several keys, each with its key; `getSeveral` needs it. */
  loadSeveral?: (db: Db, keys: readonly Key[]) => Promise<readonly (readonly [Key, Value])[]>
  /**
   * If present, commits that changed only rows of known users (`user-rows.ts`) keep the cache. Before a value is used
   * again, `update` returns the value that `load` would return, given that nothing but rows of these users has changed.
   * It must not change the old value.
   */
  update?: (db: Db, key: Key, value: Value, userIds: readonly number[]) => Value | Promise<Value>
  /** Returns false if changes to rows of these users keep the value; omitted if they may always change it. */
  isAffected?: (key: Key, value: Value, userIds: readonly number[]) => boolean
  /** The maximum number of values, or of their sizes. The oldest value is dropped first. */
  limit: number
  /** Returns the size of a value, in the unit of `limit`; 1 if omitted. */
  sizeOf?: (value: Value) => number
}

type Cache<Key, Value> = {
  /**
   * Returns the value as of the last commit, or as the transaction of `db` sees it. Returns a promise unless the value
   * is cached.
   */
  get(db: Db, key: Key): Value | Promise<Value>
  /**
   * Returns the values of those keys that have one, in no particular order. One call of `loadSeveral` reads all that are
   * not cached, and they are cached unless there are so many that they would displace others.
   */
  getSeveral(db: Db, keys: Iterable<Key>): Promise<Value[]>
  /** Returns the value if it is cached and `db` may see it. */
  peek(db: Db, key: Key): Value | undefined
  /** Drops the values for which the function returns true. */
  drop(db: Db, isUnused: (value: Value) => boolean): void
}

/** A value that includes all commits to rows of known users up to this length of their log, or later ones. */
type Entry<Value> = { readonly value: Value; at: number }

/** The contents of a cache for one storage. */
type Contents<Key, Value> = {
  generation: number
  entries: Map<Key, Entry<Value>>
  /** The sum of the sizes of the entries. */
  size: number
  loads: Map<Key, Promise<Entry<Value>>>
}

/**
 * Declares a cache of values from the database. Declare it once, next to its query. Each storage has its own contents.
 * Commits to the declared tables empty them, or update single values. Values are shared, so they must not be changed.
 */
export function defineCache<Key extends string | number, Value extends object | string | number | boolean | null>(
  options: CacheOptions<Key, Value>,
): Cache<Key, Value> {
  const { dependsOn, dependsOnRowsOf = [], isBypassedInTransactions: isReadAfresh = false, load, limit } = options
  const { loadSeveral = noSeveral, update, isAffected = () => true, sizeOf = () => 1 } = options
  const tables = [...dependsOn, ...dependsOnRowsOf]
  const contentsOf = new WeakMap<CommitCounters, Contents<Key, Value>>()

  function currentContents(commitCounters: CommitCounters): Contents<Key, Value> {
    const { commits, changes, unnamedCommits, unnamedChanges } = commitCounters
    const generation =
      update === undefined
        ? sumOf(commitCounters, [commits, dependsOn], [changes, dependsOnRowsOf])
        : sumOf(commitCounters, [unnamedCommits, dependsOn], [unnamedChanges, dependsOnRowsOf])
    const known = contentsOf.get(commitCounters)
    if (known !== undefined && known.generation === generation) return known
    const entries = new Map<Key, Entry<Value>>()
    const fresh = { generation, entries, size: 0, loads: new Map<Key, Promise<Entry<Value>>>() }
    contentsOf.set(commitCounters, fresh)
    return fresh
  }

  const readsAfresh = (knowsRecipients: boolean) => (knowsRecipients ? isReadAfresh === true : isReadAfresh !== false)

  const isPassedBy = ({ written, dialect, knowsRecipients }: Db) =>
    written !== null &&
    ((dialect === 'postgres' && readsAfresh(knowsRecipients)) || tables.some((table) => written.has(table)))

  /**
   * Returns the users whose rows have changed since the entry was read, if that affects it. Returns null if the users
   * are no longer known.
   */
  function findChangesSince({ userRows }: CommitCounters, key: Key, entry: Entry<Value>): readonly number[] | null {
    if (update === undefined || entry.at === userRows.length) return []
    const userIds = userRows.since(entry.at, tables)
    if (userIds === null || (userIds.length > 0 && isAffected(key, entry.value, userIds))) return userIds
    entry.at = userRows.length
    return []
  }

  function findCurrent(commitCounters: CommitCounters, contents: Contents<Key, Value>, key: Key): Value | undefined {
    const entry = contents.entries.get(key)
    if (entry === undefined || findChangesSince(commitCounters, key, entry)?.length !== 0) return undefined
    return entry.value
  }

  /** Reads the value, with as little work as possible. */
  async function read(db: Db, contents: Contents<Key, Value>, key: Key): Promise<Entry<Value>> {
    const { commitCounters } = db
    const at = commitCounters.userRows.length
    const entry = contents.entries.get(key)
    const userIds = entry === undefined ? null : findChangesSince(commitCounters, key, entry)
    if (entry === undefined || userIds === null || update === undefined) return { value: await load(db, key), at }
    return { value: userIds.length === 0 ? entry.value : await update(db, key, entry.value, userIds), at }
  }

  /**
   * Caches a value. After a commit, `contents` belong to an earlier generation, so a value that is loaded late is never
   * read.
   */
  function keep(contents: Contents<Key, Value>, key: Key, entry: Entry<Value>): void {
    const known = contents.entries.get(key)
    if (entry.value === null && dependsOnRowsOf.length > 0) remove(contents, key)
    else {
      const added = sizeOf(entry.value)
      if (known !== undefined) contents.size -= sizeOf(known.value)
      else
        while (contents.size + added > limit && contents.entries.size > 0)
          remove(contents, contents.entries.keys().next().value as Key)
      contents.size += added
      contents.entries.set(key, entry)
    }
  }

  function remove(contents: Contents<Key, Value>, key: Key): void {
    const entry = contents.entries.get(key)
    if (entry === undefined) return
    contents.size -= sizeOf(entry.value)
    contents.entries.delete(key)
  }

  async function readInTransaction(db: Db, contents: Contents<Key, Value>, key: Key): Promise<Value> {
    const entry = await read(db, contents, key)
    if (!isPassedBy(db)) keep(contents, key, entry)
    return entry.value
  }

  async function readOnce(db: Db, contents: Contents<Key, Value>, key: Key): Promise<Entry<Value>> {
    try {
      const entry = await read(db, contents, key)
      keep(contents, key, entry)
      return entry
    } finally {
      contents.loads.delete(key)
    }
  }

  /** Reads the value once for all callers. A value whose reading began before a commit is read again after it. */
  async function readShared(db: Db, contents: Contents<Key, Value>, key: Key): Promise<Value> {
    const requiredAt = db.commitCounters.userRows.length
    for (;;) {
      let reading = contents.loads.get(key)
      if (reading === undefined) {
        reading = readOnce(db, contents, key)
        contents.loads.set(key, reading)
      }
      const { value, at } = await reading
      if (update === undefined || at >= requiredAt) return value
    }
  }

  const peek = (db: Db, contents: Contents<Key, Value>, key: Key) =>
    isPassedBy(db) ? undefined : findCurrent(db.commitCounters, contents, key)

  return {
    drop({ commitCounters }, isUnused) {
      const contents = currentContents(commitCounters)
      for (const [key, { value }] of contents.entries) if (isUnused(value)) remove(contents, key)
    },
    peek: (db, key) => peek(db, currentContents(db.commitCounters), key),
    async getSeveral(db, keys) {
      const contents = currentContents(db.commitCounters)
      const at = db.commitCounters.userRows.length
      const values: Value[] = []
      const missing: Key[] = []
      for (const key of new Set(keys)) {
        const value = peek(db, contents, key)
        if (value === undefined) missing.push(key)
        else values.push(value)
      }
      if (missing.length === 0) return values
      const loaded = await loadSeveral(db, missing)
      const isKept = missing.length <= limit / 10 && !isPassedBy(db)
      for (const [key, value] of loaded) {
        if (isKept) keep(contents, key, { value, at })
        values.push(value)
      }
      return values
    },
    get(db, key) {
      if (isPassedBy(db)) return load(db, key)
      const contents = currentContents(db.commitCounters)
      const value = findCurrent(db.commitCounters, contents, key)
      if (value !== undefined) return value
      return db.written === null ? readShared(db, contents, key) : readInTransaction(db, contents, key)
    },
  }
}

const noSeveral = () => Promise.reject(new Error('This cache reads single values only'))

type Counted = readonly [counts: ReadonlyMap<TableName, number>, tables: readonly TableName[]]

/** Adds up the counts of these tables and the outside commits. */
function sumOf({ isComplete, outsideCommits }: CommitCounters, ...counted: readonly Counted[]): number {
  if (!isComplete) return Number.NaN
  let sum = outsideCommits
  for (const [counts, tables] of counted) for (const table of tables) sum += counts.get(table) ?? 0
  return sum
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
  return sumOf(commitCounters, [commitCounters.commits, tables], [commitCounters.changes, rowTables])
}

/**
 * Returns a list in ascending order of ids, with `current` in place of all items with one of the `ids`. Returns the same
 * list if no item has changed. `update` functions of caches use it.
 */
export function replaceById<Item>(
  items: readonly Item[],
  ids: readonly number[],
  current: readonly Item[],
  idOf: (item: Item) => number,
  isSame: (one: Item, other: Item) => boolean = () => true,
): readonly Item[] {
  const currentById = new Map(current.map((item) => [idOf(item), item]))
  const isUnchanged = (id: number) => {
    const [before, now] = [findById(items, id, idOf), currentById.get(id)]
    return before === undefined || now === undefined ? before === now : isSame(before, now)
  }
  if (ids.every(isUnchanged)) return items
  const replaced = new Set(ids)
  const others = items.filter((item) => !replaced.has(idOf(item)))
  return [...others, ...current].sort((one, other) => idOf(one) - idOf(other))
}

function findById<Item>(items: readonly Item[], id: number, idOf: (item: Item) => number): Item | undefined {
  let [start, end] = [0, items.length]
  while (start < end) {
    const middle = (start + end) >> 1
    if (idOf(items[middle] as Item) < id) start = middle + 1
    else end = middle
  }
  const found = items[start]
  return found !== undefined && idOf(found) === id ? found : undefined
}

const everyTable: TableSet = { has: () => true }

/**
 * Makes the transaction bypass all caches from now on. On PostgreSQL, a transaction may see another commit before this
 * process learns of that commit. On SQLite, this cannot happen.
 */
export function bypassCaches({ db }: Transaction): void {
  if (db.dialect === 'postgres') Object.assign(db, { written: everyTable })
}
