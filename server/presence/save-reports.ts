import type { Transaction } from '#storage/storage.ts'
import { type PresenceRow, toPresenceRow } from './entry.ts'
import { findNotSharingIds, lockUpdateIds, savePresences, takeUpdateIds } from './queries.ts'
import type { BoardEntry } from './write-behind.ts'

/**
 * Saves the reports that this node received, under new update ids, and notifies the other nodes. Reports of users who
 * no longer share their presence are skipped. Returns whether any were saved. PostgreSQL only.
 */
export async function saveReports(tx: Transaction, entries: readonly BoardEntry[]): Promise<boolean> {
  if (entries.length === 0) return false
  const realmIds = new Set(entries.map(({ board }) => board.realmId))
  await lockUpdateIds(tx, [...realmIds])
  // The users are read after locking, because a transaction on another node in which a user stops sharing has by then
  // either committed or waits for the lock.
  const people = entries.map(({ entry }) => entry.person.id)
  const notSharing = await findNotSharingIds(tx.db, people)
  const rows = await withUpdateIds(
    tx,
    entries.filter(({ entry }) => !notSharing.has(entry.person.id)),
  )
  if (rows.length === 0) return false
  await savePresences(tx, rows, { keepsLatest: true })
  tx.notifyNodes('presences', [...new Set(rows.map(({ realmId }) => realmId))])
  return true
}

async function withUpdateIds(tx: Transaction, entries: readonly BoardEntry[]): Promise<PresenceRow[]> {
  const byRealm = Map.groupBy(entries, ({ board }) => board.realmId)
  const counts = Array.from(byRealm, ([realmId, { length }]) => [realmId, length] as const)
  const lastIds = await takeUpdateIds(tx, counts)
  return Array.from(byRealm, ([realmId, realmEntries]) => {
    const before = (lastIds.get(realmId) as number) - realmEntries.length
    return realmEntries.map(({ entry }, at) => ({ ...toPresenceRow(realmId, entry), updateId: before + 1 + at }))
  }).flat()
}
