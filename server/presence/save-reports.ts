import type { Transaction } from '../platform/storage/storage.ts'
import { type PresenceRow, toPresenceRow } from './entry.ts'
import { findNotSharingIds, lockUpdateIds, savePresences, takeUpdateIds } from './queries.ts'
import type { BoardEntry } from './write-behind.ts'

/**
 * Writes what was reported to this node, under ids taken now, and tells the others. Reports of people who do not share
 * their presence any more are left out; returns whether there are others. On PostgreSQL alone.
 */
export async function saveReports(tx: Transaction, entries: readonly BoardEntry[]): Promise<boolean> {
  if (entries.length === 0) return false
  const realmIds = new Set(entries.map(({ board }) => board.realmId))
  await lockUpdateIds(tx, [...realmIds])
  // Only now: whoever stops to share at another node has committed, or waits for the ids.
  const people = entries.map(({ entry }) => entry.person.id)
  const hiding = await findNotSharingIds(tx.db, people)
  const rows = await withUpdateIds(
    tx,
    entries.filter(({ entry }) => !hiding.has(entry.person.id)),
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
  return Array.from(byRealm, ([realmId, inRealm]) => {
    const before = (lastIds.get(realmId) as number) - inRealm.length
    return inRealm.map(({ entry }, at) => ({ ...toPresenceRow(realmId, entry), updateId: before + 1 + at }))
  }).flat()
}
