import type { CompiledQuery } from 'kysely'
import type { Db, Dialect, Transaction } from './storage.ts'
import type { TableName } from './tables.ts'

/** A placeholder for an argument while a query is compiled. */
class Placeholder {
  readonly position: number
  constructor(position: number) {
    this.position = position
  }
}

type Argument = number | string | null

/**
 * Declares a query that is built and compiled once for each dialect. `build` is called with placeholders instead of
 * arguments, so it may only pass them to the query as values.
 */
export function defineQuery<Args extends readonly Argument[], Row>(
  build: (db: Db, ...args: Args) => { compile(): CompiledQuery<Row> },
): (db: Db, ...args: Args) => Promise<Row[]> {
  const fill = compiledOnce(build)
  return async (db, ...args) => (await db.executeQuery(fill(db.dialect, db, args))).rows
}

/** Like `defineQuery`, for a statement that writes `table`. */
export function defineWrite<Args extends readonly Argument[], Row>(
  table: TableName,
  build: (tx: Transaction, ...args: Args) => { compile(): CompiledQuery<Row> },
): (tx: Transaction, ...args: Args) => Promise<Row[]> {
  const fill = compiledOnce(build)
  return async (tx, ...args) => (await tx.run(table, fill(tx.db.dialect, tx, args))).rows
}

/** Like `defineWrite`, for a statement whose result is not awaited: if it fails, nothing is committed. */
export function defineUnawaitedWrite<Args extends readonly Argument[], Row>(
  table: TableName,
  build: (tx: Transaction, ...args: Args) => { compile(): CompiledQuery<Row> },
): (tx: Transaction, ...args: Args) => void {
  const fill = compiledOnce(build)
  return (tx, ...args) => void tx.run(table, fill(tx.db.dialect, tx, args))
}

function compiledOnce<Source, Args extends readonly Argument[], Row>(
  build: (source: Source, ...args: Args) => { compile(): CompiledQuery<Row> },
): (dialect: Dialect, source: Source, args: Args) => CompiledQuery<Row> {
  const compiled = new Map<Dialect, CompiledQuery<Row>>()

  function compile(dialect: Dialect, source: Source): CompiledQuery<Row> {
    const placeholders = Array.from({ length: build.length - 1 }, (_, position) => new Placeholder(position))
    const query = build(source, ...(placeholders as unknown as Args)).compile()
    compiled.set(dialect, query)
    return query
  }

  return (dialect, source, args) => {
    const query = compiled.get(dialect) ?? compile(dialect, source)
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? args[value.position] : value))
    return { ...query, parameters }
  }
}
