import type { CompiledQuery } from 'kysely'
import type { Db, Dialect } from './storage.ts'

/** Stands for an argument while a query is compiled. */
class Blank {
  readonly position: number
  constructor(position: number) {
    this.position = position
  }
}

type Compiled<Row> = { query: CompiledQuery<Row>; parameters: readonly unknown[] }

/**
 * Declares a query that is built and compiled once for each dialect. `build` is called with blanks in place of the
 * arguments, so it may hand them to the query as values and do nothing else with them.
 */
export function defineQuery<Args extends readonly (number | string)[], Row>(
  build: (db: Db, ...args: Args) => { compile(): CompiledQuery<Row> },
): (db: Db, ...args: Args) => Promise<Row[]> {
  const compiled = new Map<Dialect, Compiled<Row>>()

  function compile(db: Db): Compiled<Row> {
    const blanks = Array.from({ length: build.length - 1 }, (_, position) => new Blank(position))
    const query = build(db, ...(blanks as unknown as Args)).compile()
    const made = { query, parameters: query.parameters }
    compiled.set(db.dialect, made)
    return made
  }

  return async (db, ...args) => {
    const { query, parameters } = compiled.get(db.dialect) ?? compile(db)
    const filled = parameters.map((value) => (value instanceof Blank ? args[value.position] : value))
    return (await db.executeQuery<Row>({ ...query, parameters: filled })).rows
  }
}
