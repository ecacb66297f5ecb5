import { CompiledQuery } from 'kysely'
import { advanceCounter } from '../../platform/storage/counters.ts'
import type { Transaction } from '../../platform/storage/storage.ts'

/** Takes so many message ids that follow each other and all that were given before; returns the first. */
export async function reserveMessageIds(tx: Transaction, count: number): Promise<number> {
  if (tx.db.dialect === 'postgres') return (await advanceCounter(tx, 'message', count)) - count + 1
  const { rows } = await tx.db.executeQuery<{ seq: number }>(
    CompiledQuery.raw(`select "seq" from sqlite_sequence where "name" = 'messages'`),
  )
  return (rows[0]?.seq ?? 0) + 1
}
