import {
  ColumnNode,
  type CompiledQuery,
  type OperationNode,
  type QueryResult,
  ReferenceNode,
  type RootOperationNode,
} from 'kysely'
import type { TableName } from '../tables.ts'

/**
 * Returns the table whose rows the statement may change or delete; null for a statement that only reads or inserts. Raw
 * SQL counts as reading, because writes use the builders of a transaction.
 */
export function changedTable(statement: RootOperationNode): TableName | null {
  if (statement.kind === 'UpdateQueryNode') return tableName(statement.table)
  if (statement.kind === 'DeleteQueryNode') return tableName(statement.from.froms[0])
  if (statement.kind === 'InsertQueryNode' && statement.onConflict?.updates !== undefined) {
    return tableName(statement.into)
  }
  return null
}

/** Returns the table that the statement writes; null for a statement that only reads. */
function writtenTable(statement: RootOperationNode): TableName | null {
  return statement.kind === 'InsertQueryNode' ? tableName(statement.into) : changedTable(statement)
}

type Named = { node?: OperationNode; table?: { identifier: { name: string } } }

function tableName(node: OperationNode | undefined): TableName {
  const named = node as Named | undefined
  if (named?.node !== undefined) return tableName(named.node)
  if (named?.table === undefined) throw new Error('The statement writes no table')
  return named.table.identifier.name as TableName
}

/**
 * The tables whose rows belong to users, and whose commits name these users. The column contains the id of the user.
 * Statements on these tables should return the column: otherwise, any row may have changed.
 */
const USER_COLUMNS: Partial<Record<TableName, string>> = {
  users: 'id',
  subscriptions: 'userId',
  totpSecrets: 'userId',
  passkeys: 'userId',
  profileValues: 'userId',
}

/** The maximum number of users that a commit names for each table. Beyond it, any row may have changed. */
const MAX_NAMED = 500

/** The users whose rows a commit has changed or inserted. Tables in which any row may have changed are left out. */
export type UserRows = ReadonlyMap<TableName, readonly number[]>

/** Gathers the users whose rows the statements of a transaction write. */
export class UserRowsWriter {
  /** Null if any row may have changed. */
  readonly #userIds = new Map<TableName, Set<number> | null>()
  /** The tables of statements that are still running. */
  readonly #running: TableName[] = []

  /** Notes the rows that the statement returns: these are all the rows that it writes. */
  watch(query: CompiledQuery, result: QueryResult<unknown> | Promise<QueryResult<unknown>>): void {
    const table = writtenTable(query.query)
    if (table === null) return
    const column = USER_COLUMNS[table]
    if (column === undefined) return
    if (!returnsColumn(query.query, column)) this.#userIds.set(table, null)
    else if (!(result instanceof Promise)) this.#add(table, column, result)
    else {
      this.#running.push(table)
      const done = (rows: QueryResult<unknown>) => {
        this.#running.splice(this.#running.indexOf(table), 1)
        this.#add(table, column, rows)
      }
      result.then(done, () => this.#userIds.set(table, null))
    }
  }

  #add(table: TableName, column: string, { rows }: QueryResult<unknown>): void {
    const userIds = this.#userIds.get(table) ?? (this.#userIds.has(table) ? null : new Set<number>())
    for (const row of rows) userIds?.add((row as Record<string, number>)[column] as number)
    this.#userIds.set(table, userIds !== null && userIds.size <= MAX_NAMED ? userIds : null)
  }

  /** Returns the users by table. A statement that has not ended may have changed any row. */
  named(): UserRows {
    const named = new Map<TableName, readonly number[]>()
    for (const [table, userIds] of this.#userIds)
      if (userIds !== null && !this.#running.includes(table)) named.set(table, [...userIds])
    return named
  }
}

type Returning = { returning?: { selections: readonly { selection: OperationNode }[] } }

function returnsColumn(query: RootOperationNode, column: string): boolean {
  const { returning } = query as Returning
  return returning?.selections.some(({ selection }) => columnName(selection) === column) ?? false
}

function columnName(node: OperationNode): string | undefined {
  const column = ReferenceNode.is(node) ? node.column : node
  return ColumnNode.is(column) ? column.column.name : undefined
}

type Entry = { table: TableName; userIds: readonly number[] }

/** The maximum number of remembered commits. Values that are older are loaded again. */
const MAX_ENTRIES = 300

/** The latest commits that named the users whose rows they changed. */
export class UserRowLog {
  /** The number of entries so far. */
  length = 0
  readonly #entries: Entry[] = []
  /** The latest answer of `since`. The values of a cache were mostly read at the same time, so they get the same one. */
  #answer: { from: number; to: number; tables: readonly TableName[]; userIds: readonly number[] } | null = null

  add(table: TableName, userIds: readonly number[]): void {
    if (userIds.length === 0) return
    this.length++
    this.#entries.push({ table, userIds })
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift()
  }

  /**
   * Returns the users whose rows in the tables have changed since the log had this length; null if the log no longer
   * knows.
   */
  since(length: number, tables: readonly TableName[]): readonly number[] | null {
    const newer = this.length - length
    if (newer > this.#entries.length) return null
    const known = this.#answer
    if (known !== null && known.from === length && known.to === this.length && known.tables === tables)
      return known.userIds
    const userIds = this.#entries
      .slice(this.#entries.length - newer)
      .flatMap(({ table, userIds }) => (tables.includes(table) ? userIds : []))
    this.#answer = { from: length, to: this.length, tables, userIds }
    return userIds
  }
}
