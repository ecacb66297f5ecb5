import type { Transaction } from '#storage/storage.ts'
import { correctTimes, MAX_AHEAD } from './presence.ts'
import { findStoredTimesAfter, lockUpdateIds, savePresences, takeUpdateIds } from './queries.ts'

/**
 * Finds the stored times of the organization that are ahead of the clock, replaces them with the current time under new
 * update ids, and notifies the other nodes. PostgreSQL only.
 */
export async function saveCorrectedTimes(tx: Transaction, realmId: number): Promise<void> {
  await lockUpdateIds(tx, [realmId])
  const ahead = await findStoredTimesAfter(tx.db, realmId, tx.now + MAX_AHEAD)
  if (ahead.length === 0) return
  const lastId = (await takeUpdateIds(tx, [[realmId, ahead.length]])).get(realmId) as number
  const rows = ahead.map(({ userId, ...times }, at) => ({
    userId,
    realmId,
    ...correctTimes(times, tx.now),
    updateId: lastId - at,
  }))
  await savePresences(tx, rows)
  tx.notifyNodes('presences', [realmId])
}
