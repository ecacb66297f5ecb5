import type { OperationNode, RootOperationNode } from 'kysely'
import type { TableName } from './tables.ts'

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
export function writtenTable(statement: RootOperationNode): TableName | null {
  return statement.kind === 'InsertQueryNode' ? tableName(statement.into) : changedTable(statement)
}

type Named = { node?: OperationNode; table?: { identifier: { name: string } } }

function tableName(node: OperationNode | undefined): TableName {
  const named = node as Named | undefined
  if (named?.node !== undefined) return tableName(named.node)
  if (named?.table === undefined) throw new Error('The statement writes no table')
  return named.table.identifier.name as TableName
}
