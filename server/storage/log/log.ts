import { allocateIds, eventCounter } from '../counters.ts'
import { insertRows } from '../insert-rows.ts'
import type { Emission, Transaction } from '../storage.ts'

/**
 * Appends the events to the logs of their organizations. Within a log, ids follow the order of commits. They have no
 * gaps except those of `skipGivenIds`.
 */
export async function appendEvents(tx: Transaction, emissions: readonly Emission[]): Promise<void> {
  const byRealm = Map.groupBy(emissions, (emission) => emission.realmId)
  // All transactions use the same order, so that no two wait for each other's counters.
  for (const realmId of [...byRealm.keys()].sort((one, other) => one - other)) {
    const inRealm = byRealm.get(realmId) ?? []
    const lastId = await allocateIds(tx, eventCounter(realmId), inRealm.length)
    const rows = inRealm.map(({ event, audience }, i) => ({
      realmId,
      id: lastId - inRealm.length + 1 + i,
      createdAt: tx.now,
      type: event.type,
      payload: JSON.stringify(event),
      audience: JSON.stringify(audience),
    }))
    insertRows(tx, 'events', rows)
  }
}
