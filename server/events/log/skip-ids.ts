import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { minIdAt } from '../../platform/storage/time-ids.ts'

/** Ids that were skipped, in between, or given out by a log that was lost. */
export type Gap = { after: number; upTo: number }

const gapsOf = (realmId: number) => `event-gap:${realmId}:`

/**
 * Lets each log go on beyond all ids that were ever given out, and notes the gap: where the database was restored from an
 * older copy, who has an id of it has events that never were. To be called at each start, before anything is emitted.
 */
export async function skipGivenIds(tx: Transaction): Promise<void> {
  const upTo = minIdAt(tx.now)
  const logs = await tx.db
    .selectFrom('counters')
    .select(['name', 'value'])
    .where('name', 'like', 'event:%')
    .where('value', '>', 0)
    .where('value', '<', upTo)
    .execute()
  for (const { name, value } of logs) {
    const gap = `${gapsOf(Number(name.split(':')[1]))}${upTo}`
    await tx.insertInto('counters').values({ name: gap, value }).execute()
    await tx.updateTable('counters').set({ value: upTo }).where('name', '=', name).execute()
  }
}

/** The gaps in the log of an organization. */
export async function findGaps(db: Db, realmId: number): Promise<Gap[]> {
  const prefix = gapsOf(realmId)
  const rows = await db.selectFrom('counters').select(['name', 'value']).where('name', 'like', `${prefix}%`).execute()
  return rows.map(({ name, value }) => ({ after: value, upTo: Number(name.slice(prefix.length)) }))
}

/** Whether no event has, or had, the id, and no heartbeat named it: it is of a log that was lost. */
export function isLost(gaps: readonly Gap[], id: number): boolean {
  return gaps.some(({ after, upTo }) => id > after && id < upTo)
}
