import type { BinaryOperationNode, DatabaseConnection, OperationNode, SelectModifierNode } from 'kysely'
import {
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely'
import type { Db, Dialect } from '../storage.ts'
import type { Tables } from '../tables.ts'
import type { RunStatement } from './engine.ts'

/** Omits row locks: on SQLite a transaction has the whole database to itself. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}

/** Replaces `in ()` with its constant value on SQLite, because PostgreSQL does not parse it. */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const operator = 'operator' in node.operator ? node.operator.operator : undefined
    if (operator === 'in' && isEmptyList(node.rightOperand)) this.append('false')
    else if (operator === 'not in' && isEmptyList(node.rightOperand)) this.append('true')
    else super.visitBinaryOperation(node)
  }
}

function isEmptyList(node: OperationNode): boolean {
  const isList = node.kind === 'PrimitiveValueListNode' || node.kind === 'ValueListNode'
  return isList && 'values' in node && Array.isArray(node.values) && node.values.length === 0
}

const KITS = {
  sqlite: {
    compiler: new SqliteCompiler(),
    adapter: new SqliteAdapter(),
    dialect: new SqliteDialect({ database: () => Promise.reject(new Error('never opened by the query builder')) }),
  },
  postgres: {
    compiler: new PostgresCompiler(),
    adapter: new PostgresAdapter(),
    dialect: new PostgresDialect({ pool: () => Promise.reject(new Error('never opened by the query builder')) }),
  },
}

const DRIVER = new DummyDriver()

type QueryBuilder = Omit<Kysely<Tables>, 'executeQuery'> & Pick<Db, 'executeQuery'>

/** Builds queries in the SQL of the dialect and passes them to `run`. */
export function queryBuilder(dialect: Dialect, run: RunStatement): QueryBuilder {
  const kit = KITS[dialect]
  const connection: DatabaseConnection = {
    executeQuery: run as DatabaseConnection['executeQuery'],
    streamQuery() {
      throw new Error('Rows are not streamed: read them page by page')
    },
  }
  const executor = new DefaultQueryExecutor(kit.compiler, kit.adapter, {
    provideConnection: (consumer) => consumer(connection),
  })
  const builder = new Kysely<Tables>({ config: kit, dialect: kit.dialect, driver: DRIVER, executor })
  // Compiled queries bypass Kysely, because Kysely would take as long as a small read.
  return Object.assign(builder, { executeQuery: run as QueryBuilder['executeQuery'] })
}
