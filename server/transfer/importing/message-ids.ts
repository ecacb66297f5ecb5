import { CompiledQuery } from 'kysely'
import { advanceCounter } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'

/** Reserves `count` consecutive message ids, higher than all allocated ones. Returns the first. */
export async function reserveMessageIds(tx: Transaction, count: number): Promise<number> {
  if (tx.db.dialect === 'postgres') return (await advanceCounter(tx, 'message', count)) - count + 1
  const { rows } = await tx.db.executeQuery<{ seq: number }>(
    CompiledQuery.raw(`select "seq" from sqlite_sequence where "name" = 'messages'`),
  )
  return (rows[0]?.seq ?? 0) + 1
}
