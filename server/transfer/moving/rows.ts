import pg from 'pg'
import { OperatorError } from '#lib/errors.ts'
import type { Row } from '#storage/catalog.ts'
import type { Db, Storage } from '#storage/storage.ts'
import { PASSING, run } from './fence.ts'
import { type MovedTable, moveNames } from './tables.ts'

// Copies and deletes the rows of an organization. Rows are written in statements of their own, which are not announced
// to the nodes: nobody uses the organization in that database.

/** Both databases of a move, and its tables. */
export type Course = {
  from: Storage
  to: Storage
  realmId: number
  tables: readonly MovedTable[]
  signal: AbortSignal
  /** Called with the number of rows that were copied or deleted since the last call. */
  onRows: (table: string, rows: number) => void
}

/** The maximum number of rows in one statement, for tables with and without texts. */
const TEXT_ROWS = 1000
const SHORT_ROWS = 10_000

/** The number of statements that write at a time. */
const CONCURRENCY = 3

const rowsAtOnce = ({ hasText }: MovedTable) => (hasText ? TEXT_ROWS : SHORT_ROWS)

/** The two numbers of the advisory lock that the statements of a move share in the database that receives the rows. */
const writingLock = (realmId: number) => `${0x5061726e}, ${realmId}`

/** Waits for the last statements of an earlier attempt, whose process was killed. */
export async function waitForEarlierAttempt({ to, realmId }: Course): Promise<void> {
  await run(to.db, `select pg_advisory_xact_lock(${writingLock(realmId)})`)
}

/** Keeps `waitForEarlierAttempt` waiting until the transaction ends. */
export async function shareWriting(db: Db, realmId: number): Promise<void> {
  await run(db, `select pg_advisory_xact_lock_shared(${writingLock(realmId)})`)
}

/**
 * Copies the rows of all tables whose turn is first, as they were when the transaction of `db` began. Rows that would
 * make jobs act arrive without these columns. Throws if another organization has a row with the same key.
 */
export async function copyRows(db: Db, course: Course): Promise<void> {
  const { to, realmId, signal, onRows } = course
  for (const table of course.tables) {
    if (table.turn !== 'first') continue
    const cursor = `"rows of ${table.name}"`
    await run(db, `declare ${cursor} no scroll cursor for select * from "${table.name}" where ${table.isOf(realmId)}`)
    const writing = new Set<Promise<unknown>>()
    const referring: Row[] = []
    try {
      for (;;) {
        signal.throwIfAborted()
        const { rows } = await run<Row>(db, `fetch ${rowsAtOnce(table)} from ${cursor}`)
        if (rows.length === 0) break
        referring.push(...rows.filter((row) => table.own.some((column) => row[column] !== null)))
        if (writing.size === CONCURRENCY) await Promise.race(writing)
        const written = insertRows(to.db, table, without(rows, [...table.acting, ...table.own]), realmId)
        writing.add(written)
        void written.then(
          () => writing.delete(written),
          () => {},
        )
        onRows(table.name, rows.length)
      }
    } finally {
      await Promise.allSettled(writing)
    }
    await Promise.all(writing)
    // A row may refer to a later one of the same table.
    if (referring.length > 0) await saveRows(to.db, table, without(referring, table.acting), realmId)
    await run(db, `close ${cursor}`)
  }
}

const without = (rows: readonly Row[], columns: readonly string[]): readonly Row[] =>
  columns.length === 0
    ? rows
    : rows.map((row) => ({ ...row, ...Object.fromEntries(columns.map((column) => [column, null])) }))

async function insertRows(db: Db, table: MovedTable, rows: readonly Row[], realmId: number): Promise<void> {
  // Nodes may have written such rows behind, after the organization had left this database.
  if (table.fencing.moved === 'skip') return saveRows(db, table, rows, realmId)
  for (const batch of jsonBatches(rows, rowsAtOnce(table)))
    await run(db, insertion(table, realmId), [batch]).catch((error) => explainConflict(error, table))
}

/** The maximum length of the rows in one statement, which rows with long texts reach. */
const MAX_LENGTH = 16 * 1024 ** 2

/** Splits the rows into JSON lists. */
function* jsonBatches(rows: readonly Row[], maxRows: number): Generator<string> {
  let [texts, length]: [string[], number] = [[], 0]
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (texts.length > 0 && (texts.length === maxRows || length + text.length > MAX_LENGTH)) {
      yield `[${texts.join()}]`
      texts = []
      length = 0
    }
    texts.push(text)
    length += text.length
  }
  if (texts.length > 0) yield `[${texts.join()}]`
}

function insertion({ name, columns }: MovedTable, realmId: number): string {
  const names = columns.map((column) => `"${column}"`).join(', ')
  return `
    insert into "${name}" (${names}) select ${names}
    from (select pg_advisory_xact_lock_shared(${writingLock(realmId)})) as "lock",
      json_populate_recordset(null::"${name}", $1::json)`
}

/** Inserts rows, or replaces those with the same keys. */
export async function saveRows(db: Db, table: MovedTable, rows: readonly Row[], realmId: number): Promise<void> {
  const { key, columns, own } = table
  const others = columns.filter((column) => !key.includes(column))
  const set = others.map((column) => `"${column}" = excluded."${column}"`).join(', ')
  const statement = `${insertion(table, realmId)}
    on conflict (${key.map((column) => `"${column}"`).join(', ')}) do ${set === '' ? 'nothing' : `update set ${set}`}`
  // Rows that refer to others of their table are saved together with these.
  const batches = own.length > 0 ? [JSON.stringify(rows)] : jsonBatches(rows, rowsAtOnce(table))
  for (const batch of batches)
    await run(db, statement, [batch]).catch(async (error) => {
      if (!isCollision(error) || table.uniqueTexts.length === 0) explainConflict(error, table)
      // Two rows may have exchanged a name, or one may have taken the former name of another.
      await run(db, freeing(table), [batch]).catch(() => explainConflict(error, table))
      await run(db, statement, [batch]).catch((again) => explainConflict(again, table))
    })
}

/** Returns the statement that frees the unique texts of rows that are about to be replaced. */
function freeing({ name, key, uniqueTexts }: MovedTable): string {
  const placeholder = key.map((column) => `"${name}"."${column}"`).join(` || ':' || `)
  const set = uniqueTexts.map((column) => `"${column}" = ':moving:' || ${placeholder}`).join(', ')
  const same = key.map((column) => `"${name}"."${column}" = "row"."${column}"`).join(' and ')
  return `update "${name}" set ${set} from json_populate_recordset(null::"${name}", $1::json) as "row" where ${same}`
}

/** SQLSTATE `unique_violation`. */
const isCollision = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === '23505'

/** SQLSTATE `foreign_key_violation`. */
const LACKS_REFERENCE = '23503'

function explainConflict(error: unknown, { name }: MovedTable): never {
  if (error instanceof pg.DatabaseError && error.code === LACKS_REFERENCE)
    throw new OperatorError(
      `A row of ${name} refers to a row that the other database does not have, such as a bot of the system: ${error.detail ?? error.message}`,
      { isTemporary: false, cause: error },
    )
  if (!isCollision(error)) throw error
  throw new OperatorError(
    `The other database has a row of another organization where one of this organization belongs: ${name}, ` +
      `${error.detail ?? error.message} Ids of databases differ if they were allocated under the same DATABASE_URLS.`,
    { isTemporary: false, cause: error },
  )
}

type Change = { table: string; key: readonly unknown[] }

/** Applies the changes that the triggers have recorded, as of one moment, and returns their number. */
export async function applyChanges(course: Course): Promise<number> {
  const { from, realmId } = course
  const { changes } = moveNames(realmId)
  const { count, snapshot } = await from.transaction(
    async ({ db }) => {
      const [moment] = (await run<{ snapshot: string }>(db, 'select pg_current_snapshot()::text as "snapshot"')).rows
      const { rows } = await run<Change>(db, `select distinct "table", "key" from ${changes}`)
      await applyAll(
        db,
        course,
        Map.groupBy(rows, ({ table }) => table),
      )
      return { count: rows.length, snapshot: moment?.snapshot }
    },
    { isSnapshot: true },
  )
  await run(from.db, `delete from ${changes} where pg_visible_in_snapshot("xid", $1::pg_snapshot)`, [snapshot])
  return count
}

async function applyAll(db: Db, { to, tables, realmId, signal, onRows }: Course, changed: Map<string, Change[]>) {
  const keysOf = ({ name }: MovedTable) => (changed.get(name) ?? []).map(({ key }) => key)
  for (const table of tables.toReversed()) {
    for (const keys of inBatches(keysOf(table), SHORT_ROWS)) {
      signal.throwIfAborted()
      const { rows } = await run<{ key: unknown[] }>(db, selectGone(table, realmId), [JSON.stringify(keys)])
      if (rows.length > 0) await run(to.db, deletion(table), [JSON.stringify(rows.map(({ key }) => key))])
    }
  }
  for (const table of tables) {
    const size = table.own.length > 0 ? Number.POSITIVE_INFINITY : rowsAtOnce(table)
    for (const keys of inBatches(keysOf(table), size)) {
      signal.throwIfAborted()
      const { rows } = await run<Row>(db, selectCurrent(table, realmId), [JSON.stringify(keys)])
      if (rows.length > 0) await saveRows(to.db, table, without(rows, table.acting), realmId)
      onRows(table.name, rows.length)
    }
  }
}

function* inBatches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Compares the key of the table with the values of the JSON list `"keys"."value"`. */
const hasKey = ({ name, key, keyTypes }: MovedTable) =>
  key.map((column, at) => `"${name}"."${column}" = ("keys"."value" ->> ${at})::${keyTypes[at]}`).join(' and ')

const KEYS = 'jsonb_array_elements($1::jsonb) as "keys"("value")'

/** Looks up each key separately. PostgreSQL would otherwise read whole tables if it expects many rows. */
const lookUp = (table: MovedTable, realmId: number) => `
  (select "${table.name}".* from "${table.name}" where ${hasKey(table)} and ${table.realmOf(`"${table.name}"`)} = ${realmId}
    offset 0) as "row"`

const selectCurrent = (table: MovedTable, realmId: number) =>
  `select "row".* from ${KEYS} cross join lateral ${lookUp(table, realmId)}`

const selectGone = (table: MovedTable, realmId: number) =>
  `select "keys"."value" as "key" from ${KEYS} left join lateral ${lookUp(table, realmId)} on true
   where "row"."${table.key[0]}" is null`

const deletion = (table: MovedTable) => `delete from "${table.name}" using ${KEYS} where ${hasKey(table)}`

/** Milliseconds that a batch of a deletion takes, about. */
const BATCH_TIME = 300

const FIRST_PAGE = 200

/**
 * Deletes all rows of the organization from a database, in batches, with the rows that refer to others first. Repeating
 * it continues.
 */
export async function deleteRows(storage: Storage, course: Omit<Course, 'from' | 'to'>): Promise<void> {
  for (const table of course.tables.toReversed()) await deleteFrom(storage, table, course)
}

async function deleteFrom(
  { db }: Storage,
  table: MovedTable,
  { realmId, tables, signal, onRows }: Omit<Course, 'from' | 'to'>,
): Promise<void> {
  const isOurs = table.isOf(realmId)
  const remove = (condition: string) =>
    run(db, `do $block$ begin perform ${PASSING}; delete from "${table.name}" where ${condition}; end $block$`)
  const { pages, own } = table
  for (const column of own)
    await run(
      db,
      `do $block$ begin perform ${PASSING}; update "${table.name}" set "${column}" = null
         where ${isOurs} and "${column}" is not null; end $block$`,
    )
  if (pages === null) {
    signal.throwIfAborted()
    await remove(isOurs)
    return
  }
  const isOfOwner = tables.find(({ name }) => name === pages.table)?.isOf(realmId) ?? 'false'
  let [last, size] = [Number.MIN_SAFE_INTEGER, FIRST_PAGE]
  for (;;) {
    signal.throwIfAborted()
    const { rows } = await run<{ end: number | null; count: number }>(
      db,
      `select max("id") as "end", count(*) as "count" from (select "${pages.id}" as "id" from "${pages.table}"
         where ${isOfOwner} and "${pages.id}" > $1 order by "${pages.id}" limit $2) as "page"`,
      [last, size],
    )
    const { end = null, count = 0 } = rows[0] ?? {}
    if (end === null) return
    const startedAt = performance.now()
    const range = `"${pages.id}" > ${last} and "${pages.id}" <= ${end}`
    await remove(
      pages.table === table.name
        ? `${isOurs} and ${range}`
        : `"${pages.column}" in (select "${pages.id}" from "${pages.table}" where ${isOfOwner} and ${range})`,
    )
    const time = performance.now() - startedAt
    onRows(table.name, table.name === pages.table ? count : 0)
    last = end
    size = Math.round(Math.min(Math.max((size * BATCH_TIME) / Math.max(time, 1), size / 4, 10), size * 4, 100_000))
  }
}
