import type { Db, Transaction } from '../../platform/storage/storage.ts'

/** The maximum number of events that an organization can have per second, on average from one start to the next. */
const IDS_PER_SECOND = 1000

/** 2020-01-01, before any server ran. */
const EPOCH = 1_577_836_800

/** A range of ids that were skipped, or that belong to lost events. */
export type Gap = { after: number; upTo: number }

/**
 * Returns the lowest id that a server may use if it starts at this time, in UNIX seconds. Earlier servers used lower
 * ids only.
 */
const minIdAt = (now: number): number => Math.floor((now - EPOCH) * IDS_PER_SECOND)

const gapsOf = (realmId: number) => `event-gap:${realmId}:`

/**
 * Continues each log beyond all ids that were ever used, and records the gap. After the database was restored from an
 * older copy, clients may have ids of events that were lost. Runs at each start, before any event is emitted.
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

export async function findGaps(db: Db, realmId: number): Promise<Gap[]> {
  const prefix = gapsOf(realmId)
  const rows = await db.selectFrom('counters').select(['name', 'value']).where('name', 'like', `${prefix}%`).execute()
  return rows.map(({ name, value }) => ({ after: value, upTo: Number(name.slice(prefix.length)) }))
}

/** Checks whether the id belongs to a lost log: no event of the present log has it, and no heartbeat named it. */
export function isLost(gaps: readonly Gap[], id: number): boolean {
  return gaps.some(({ after, upTo }) => id > after && id < upTo)
}
