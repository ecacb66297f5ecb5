import { type RawBuilder, sql } from 'kysely'
import { defineCache, generationOf } from './cache.ts'
import { allocateIds, eventCounter } from './counters.ts'
import { batches, insertRows, insertRowsWithIds } from './sql.ts'
import type { Db, Emission, EventRow, Transaction } from './storage.ts'

// The log of events of each organization. A commit appends its events with consecutive ids in the order of commits,
// so that a client that reads on from an id misses none. Ids are not used again after the database was restored from
// an older copy; clients learn that their events were lost.

/** The ids between `after` and `upTo`, both excluded. They were skipped, or belong to lost events. */
export type Gap = { after: number; upTo: number }

/**
 * Appends the events to the logs of their organizations, and returns the rows of each log. Within a log, ids follow the
 * order of commits. They have no gaps except those of `skipGivenIds`.
 */
export async function appendEvents(
  tx: Transaction,
  emissions: readonly Emission[],
): Promise<ReadonlyMap<number, readonly EventRow[]>> {
  const appended = new Map<number, readonly EventRow[]>()
  const byRealm = Map.groupBy(emissions, (emission) => emission.realmId)
  // All transactions use the same order, so that no two wait for each other's counters.
  for (const realmId of [...byRealm.keys()].sort((one, other) => one - other)) {
    const inRealm = byRealm.get(realmId) ?? []
    const audiences = await toColumns(tx, realmId, inRealm)
    const lastId = await allocateIds(tx, eventCounter(realmId), inRealm.length)
    const rows = inRealm.map(({ event }, i) => ({
      id: lastId - inRealm.length + 1 + i,
      type: event.type,
      payload: JSON.stringify(event),
      ...(audiences[i] as AudienceColumns),
    }))
    insertRows(
      tx,
      'events',
      rows.map((row) => ({ realmId, createdAt: tx.now, ...row })),
    )
    appended.set(realmId, rows)
  }
  return appended
}

/**
 * The audience of an event: the users of the shared audience, if there is one, without those of `absentIds`, and the
 * users of `audience`.
 */
type AudienceColumns = { audience: string; audienceId: number | null; absentIds: string | null }

/** An audience that is stored once for many events: an ascending list of ids. */
type SharedAudience = { id: number; userIds: readonly number[]; createdAt: number }

/** Only audiences of at least this many users are shared. */
const MIN_SHARED = 100

/** The maximum number of users who are in an audience and not in the shared one that it refers to, or the reverse. */
const MAX_DIFFERENCES = 50

/** The maximum number of ids in the shared audiences of an organization that a process remembers for its next events. */
const MAX_REMEMBERED = 300_000

/** Seconds for which new events refer to a shared audience. */
const SHARED_FOR = 86_400

/** The shared audiences that this process has used last, the latest first, by organization. */
type Remembered = { generation: number; byRealm: Map<number, readonly SharedAudience[]> }

const rememberedBy = new WeakMap<Db['commitCounters'], Remembered>()

function rememberedIn({ db: { commitCounters } }: Transaction): Remembered['byRealm'] {
  const generation = generationOf(commitCounters, [], ['audiences'])
  const known = rememberedBy.get(commitCounters)
  if (known?.generation === generation) return known.byRealm
  const fresh: Remembered = { generation, byRealm: new Map() }
  rememberedBy.set(commitCounters, fresh)
  return fresh.byRealm
}

/**
 * Returns the columns of the audiences of an organization's events. Large ones hardly ever differ from one event of a
 * channel to the next, so they refer to a shared audience. One that resembles none becomes one.
 */
async function toColumns(tx: Transaction, realmId: number, emissions: readonly Emission[]): Promise<AudienceColumns[]> {
  const columns: AudienceColumns[] = []
  const known = emissions.some(({ audience }) => audience.length >= MIN_SHARED) ? rememberedIn(tx) : new Map()
  const isRecent = ({ createdAt }: SharedAudience) => createdAt > tx.now - SHARED_FOR
  const shared: SharedAudience[] = (known.get(realmId) ?? []).filter(isRecent)
  for (const { audience } of emissions) {
    if (audience.length < MIN_SHARED) {
      columns.push({ audience: JSON.stringify(audience), audienceId: null, absentIds: null })
      continue
    }
    const userIds = isAscending(audience) ? audience : audience.toSorted((one, other) => one - other)
    columns.push(findSimilar(shared, userIds) ?? (await share(tx, realmId, userIds, shared)))
  }
  if (shared.length > 0) tx.afterCommit(() => known.set(realmId, shared.slice(0, countRemembered(shared))))
  return columns
}

function countRemembered(shared: readonly SharedAudience[]): number {
  let [count, ids] = [0, 0]
  for (const { userIds } of shared) {
    ids += userIds.length
    if (count > 0 && ids > MAX_REMEMBERED) break
    count += 1
  }
  return count
}

/** Refers to a similar audience in `shared`, which becomes the first one. */
function findSimilar(shared: SharedAudience[], userIds: readonly number[]): AudienceColumns | null {
  for (const [at, { id, userIds: sharedIds }] of shared.entries()) {
    const differences = compare(userIds, sharedIds)
    if (differences === null) continue
    if (at > 0) shared.unshift(...shared.splice(at, 1))
    const absentIds = differences.absent.length === 0 ? null : JSON.stringify(differences.absent)
    return { audience: JSON.stringify(differences.added), audienceId: id, absentIds }
  }
  return null
}

/** Stores the audience, and puts it before those in `shared`. */
async function share(
  tx: Transaction,
  realmId: number,
  userIds: readonly number[],
  shared: SharedAudience[],
): Promise<AudienceColumns> {
  const row = { realmId, userIds: JSON.stringify(userIds), createdAt: tx.now }
  const [id] = (await insertRowsWithIds(tx, 'audiences', [row])) as [number]
  shared.unshift({ id, userIds, createdAt: tx.now })
  return { audience: '[]', audienceId: id, absentIds: null }
}

/** Returns whether each id is greater than the one before it. */
export function isAscending(ids: readonly number[]): boolean {
  for (let at = 1; at < ids.length; at += 1) if ((ids[at] as number) <= (ids[at - 1] as number)) return false
  return true
}

/** Compares two ascending lists. Returns null if they differ in more than `MAX_DIFFERENCES` ids. */
function compare(
  userIds: readonly number[],
  sharedIds: readonly number[],
): { added: readonly number[]; absent: readonly number[] } | null {
  const [added, absent]: [number[], number[]] = [[], []]
  if (userIds === sharedIds) return { added, absent }
  let at = 0
  for (const id of userIds) {
    for (; at < sharedIds.length && (sharedIds[at] as number) < id; at += 1) absent.push(sharedIds[at] as number)
    if (sharedIds[at] === id) at += 1
    else added.push(id)
    if (added.length + absent.length > MAX_DIFFERENCES) return null
  }
  if (added.length + absent.length + sharedIds.length - at > MAX_DIFFERENCES) return null
  return { added, absent: [...absent, ...sharedIds.slice(at)] }
}

const sharedAudiences = defineCache<number, ReadonlySet<number> | null>({
  dependsOn: [],
  dependsOnRowsOf: ['audiences'],
  limit: 1_000_000,
  sizeOf: (userIds) => userIds?.size ?? 1,
  async load(db, id) {
    const row = await db.selectFrom('audiences').select('userIds').where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : new Set<number>(JSON.parse(row.userIds))
  },
})

/** Returns the users of a shared audience; null if it is missing. */
export const findSharedAudience = sharedAudiences.get

/** Deletes the shared audiences to which only deleted events refer. */
export async function deleteOldAudiences(tx: Transaction): Promise<void> {
  const unused = await tx.db
    .selectFrom('audiences')
    .select('id')
    .where('createdAt', '<', tx.now - SHARED_FOR)
    .where(
      sql<boolean>`coalesce((select "events"."createdAt" from "events" where "events"."realmId" = "audiences"."realmId"
        order by "events"."id" limit 1) > "audiences"."createdAt" + ${sql.lit(SHARED_FOR)}, true)`,
    )
    .limit(MAX_DELETED_EVENTS)
    .execute()
  if (unused.length === 0) return
  const ids = unused.map(({ id }) => id)
  await tx.deleteFrom('audiences').where('id', 'in', ids).execute()
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

/** True if the JSON list of ids contains the user of the queue. */
const containsUser = (list: RawBuilder<unknown>) =>
  sql<boolean>`replace(replace(${list}, '[', ','), ']', ',') like '%,' || "eventQueues"."userId" || ',%'`

const sharedIds = sql`coalesce((select "userIds" from "audiences" where "audiences"."id" = "events"."audienceId"), '')`

/** True if the user of the queue is in the audience of the event. */
const isReceivedByUser = sql<boolean>`(${containsUser(sql`"events"."audience"`)}
  or (${containsUser(sharedIds)} and not ${containsUser(sql`coalesce("events"."absentIds", '')`)}))`

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
