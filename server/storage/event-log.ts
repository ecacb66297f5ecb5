import { sql } from 'kysely'
import { allocateIds, eventCounter } from './counters.ts'
import { batches, insertRows } from './sql.ts'
import type { Db, Emission, Transaction } from './storage.ts'

// The log of events of each organization. A commit appends its events with consecutive ids in the order of commits,
// so that a client that reads on from an id misses none. Ids are not used again after the database was restored from
// an older copy; clients learn that their events were lost.

/** The ids between `after` and `upTo`, both excluded. They were skipped, or belong to lost events. */
export type Gap = { after: number; upTo: number }

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

/** The maximum rate of an organization's events per second, averaged over the time between two starts of the server. */
const IDS_PER_SECOND = 1000

/** 2020-01-01 in UNIX seconds. No server ran before that. */
const EPOCH = 1_577_836_800

/**
 * Returns the id after which a server numbers its events if it starts at `now`, in UNIX seconds. Servers that started
 * earlier have used only lower ids.
 */
const minIdAt = (now: number): number => Math.floor((now - EPOCH) * IDS_PER_SECOND)

const gapsOf = (realmId: number) => `event-gap:${realmId}:`

/**
 * Continues each log beyond all ids that were ever used, and records the gap. This matters after the database was
 * restored from an older copy: clients may have ids of events that the copy lacks. Runs at each start, before any event
 * is emitted.
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

/**
 * Returns true if the id lies in a gap. No event of the current log has such an id, and no heartbeat named it, so the
 * event was lost.
 */
export function isLost(gaps: readonly Gap[], id: number): boolean {
  return gaps.some(({ after, upTo }) => id > after && id < upTo)
}

/** Returns the id of the organization's last event; 0 if there is none. */
export async function findLastEventId(db: Db, realmId: number): Promise<number> {
  const row = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', eventCounter(realmId))
    .executeTakeFirst()
  return row?.value ?? 0
}

/** The maximum number of events that one transaction deletes. */
const MAX_DELETED_EVENTS = 1000

/** True if the user of the queue is in the audience of the event, which is a JSON list of ids. */
const isReceivedByUser = sql<boolean>`replace(replace("events"."audience", '[', ','), ']', ',') like '%,' || "eventQueues"."userId" || ',%'`

/**
 * Deletes events of the organization up to this id, and first the queues whose clients have not received theirs. These
 * clients then fetch everything anew. Returns true if there may be more events.
 */
export async function deleteEventsUpTo(tx: Transaction, realmId: number, upTo: number): Promise<boolean> {
  const behind = await tx
    .deleteFrom('eventQueues')
    .where('realmId', '=', realmId)
    .where('acknowledgedId', '<', upTo)
    .where((is) =>
      is.or([
        is('hearsAllPublic', '=', 1),
        is.exists(
          is
            .selectFrom('events')
            .select('events.id')
            .whereRef('events.realmId', '=', 'eventQueues.realmId')
            .whereRef('events.id', '>', 'eventQueues.acknowledgedId')
            .where('events.id', '<=', upTo)
            .where(isReceivedByUser),
        ),
      ]),
    )
    .returning('userId')
    .execute()
  // Every node looks up the queues of these accounts again.
  const userIds = [...new Set(behind.map(({ userId }) => userId))]
  for (const ids of batches(userIds))
    await tx
      .updateTable('users')
      .set(({ ref }) => ({ role: ref('role') }))
      .where('id', 'in', ids)
      .returning('id')
      .execute()
  const rows = await tx.db
    .selectFrom('events')
    .select('id')
    .where('realmId', '=', realmId)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(MAX_DELETED_EVENTS)
    .execute()
  const last = rows.at(-1)
  if (last === undefined) return false
  await tx.deleteFrom('events').where('realmId', '=', realmId).where('id', '<=', last.id).execute()
  return rows.length === MAX_DELETED_EVENTS
}

/**
 * Deletes all event queues of an account. A node that has such a queue in memory notices the deletion when it looks up
 * the row.
 */
export async function deleteQueuesOf(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('eventQueues').where('userId', '=', userId).execute()
}
