import { type Expression, sql } from 'kysely'
import { toBase32 } from '#lib/secrets.ts'
import { deleteOldAudiences, findSharedAudience } from '#storage/event-log.ts'
import { batches, defineQuery, defineWrite, integerAt, realAt, rowsIn, textAt } from '#storage/sql.ts'
import type { Db, Dialect, EventRow, Transaction } from '#storage/storage.ts'
import type { EventQueue, LoggedEvent } from './event-queue.ts'
import { readEvent, readForm } from './stored-rows.ts'

/** The maximum number of events that are read at once. */
export const PAGE_SIZE = 500

/** The maximum number of events that are read without checking their sizes. */
const MAX_UNMEASURED = 20

/** The maximum total size of the other events on a page, in bytes of their payloads and audiences. */
const MAX_PAGE_BYTES = 16_000_000

const eventsAfter = defineQuery((db, realmId: number, id: number, limit: number) =>
  db
    .selectFrom('events')
    .select(['id', 'type', 'payload', 'audience', 'audienceId', 'absentIds'])
    .where('realmId', '=', realmId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit),
)

const sizesAfter = defineQuery((db, realmId: number, id: number, limit: number) =>
  db
    .selectFrom('events')
    .select(sql<number>`octet_length("payload") + octet_length("audience")`.as('size'))
    .where('realmId', '=', realmId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit),
)

/** Events in ascending order of ids. `isAtEnd` is true if the log has no further events. */
export type EventPage = { events: LoggedEvent[]; isAtEnd: boolean }

/**
 * Returns the organization's events after `id`, whatever their audience. It returns at most `PAGE_SIZE` events, and
 * fewer if they are large.
 */
export async function findEventsAfter(db: Db, realmId: number, id: number): Promise<EventPage> {
  const first = await eventsAfter(db, realmId, id, MAX_UNMEASURED)
  const events = await readEvents(db, first)
  const last = first.at(-1)
  if (last === undefined || first.length < MAX_UNMEASURED) return { events, isAtEnd: true }
  const sizes = await sizesAfter(db, realmId, last.id, PAGE_SIZE - MAX_UNMEASURED)
  const count = countWithin(sizes, MAX_PAGE_BYTES)
  if (count === 0) return { events, isAtEnd: sizes.length === 0 }
  const further = await eventsAfter(db, realmId, last.id, count)
  const isAtEnd = count === sizes.length && count < PAGE_SIZE - MAX_UNMEASURED
  return { events: [...events, ...(await readEvents(db, further))], isAtEnd }
}

/** Returns the events of these rows of the log. */
export async function readEvents(db: Db, rows: readonly EventRow[]): Promise<LoggedEvent[]> {
  const audiences = new Map<number, ReadonlySet<number>>()
  for (const id of new Set(rows.map(({ audienceId }) => audienceId))) {
    const audience = id === null ? null : await findSharedAudience(db, id)
    if (id !== null && audience !== null) audiences.set(id, audience)
  }
  return rows.map((row) => readEvent(row, audiences))
}

function countWithin(sizes: readonly { size: number }[], most: number): number {
  let total = 0
  const beyond = sizes.findIndex(({ size }) => {
    total += size
    return total > most
  })
  return beyond < 0 ? sizes.length : beyond
}

type NewQueue = Pick<EventQueue, 'realmId' | 'userId' | 'startId' | 'lifespan' | 'form'>

export async function saveQueue(tx: Transaction, queue: NewQueue): Promise<EventQueue> {
  const json = JSON.stringify(queue.form)
  const form = readForm(json)
  if (form === null) throw new Error(`A queue of this form could not be read: ${json}`)
  const saved: EventQueue = {
    ...queue,
    form,
    id: toBase32(tx.random.bytes(20)),
    registeredAt: tx.now,
    acknowledgedId: queue.startId,
    polledAt: tx.now,
  }
  await tx
    .insertInto('eventQueues')
    .values({ ...saved, form: json, hearsAllPublic: saved.form.allPublicChannels ? 1 : 0 })
    .execute()
  return saved
}

/** A queue whose form this version cannot read. */
type UnreadableQueue = Pick<EventQueue, 'realmId' | 'userId'> & { form: null }

export async function findQueue(db: Db, id: string): Promise<EventQueue | UnreadableQueue | null> {
  const row = await db.selectFrom('eventQueues').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const { hearsAllPublic, ...queue } = row
  const form = readForm(queue.form)
  return form === null ? { realmId: row.realmId, userId: row.userId, form } : { ...queue, form }
}

export type QueueProgress = Pick<EventQueue, 'id' | 'acknowledgedId' | 'polledAt'>

const saveRows = defineWrite('eventQueues', (tx, rows: string) =>
  tx
    .updateTable('eventQueues')
    .from(
      rowsIn(tx.db, rows)
        .select([textAt(0).as('id'), integerAt(1).as('acknowledgedId'), realAt(2).as('polledAt')])
        .as('progress'),
    )
    .set(({ ref }) => ({
      acknowledgedId: greatest(tx.db.dialect, ref('eventQueues.acknowledgedId'), ref('progress.acknowledgedId')),
      polledAt: ref('progress.polledAt'),
    }))
    .whereRef('eventQueues.id', '=', 'progress.id'),
)

const greatest = (dialect: Dialect, one: Expression<number>, other: Expression<number>) =>
  dialect === 'sqlite' ? sql<number>`max(${one}, ${other})` : sql<number>`greatest(${one}, ${other})`

/**
 * Writes the progress of these clients in one statement. It never overwrites further progress that another node has
 * written.
 */
export async function saveProgress(tx: Transaction, queues: readonly QueueProgress[]): Promise<void> {
  await saveRows(tx, JSON.stringify(queues.map(({ id, acknowledgedId, polledAt }) => [id, acknowledgedId, polledAt])))
}

export async function deleteQueues(tx: Transaction, ids: readonly string[]): Promise<void> {
  for (const batch of batches(ids)) await tx.deleteFrom('eventQueues').where('id', 'in', batch).execute()
}

/** Returns the ids of the queues that still exist. */
export async function findExistingIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const existing = new Set<string>()
  for (const batch of batches(ids)) {
    const rows = await db.selectFrom('eventQueues').select('id').where('id', 'in', batch).execute()
    for (const { id } of rows) existing.add(id)
  }
  return existing
}

/**
 * Returns the ids of the queues that have not been polled for longer than their lifespan. The time before `since` does
 * not count.
 */
export async function findIdleQueueIds(db: Db, now: number, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('eventQueues')
    .select('id')
    .where((is) => is(is('polledAt', '+', is.ref('lifespan')), '<', now))
    .where('lifespan', '<', Math.ceil(now - since))
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Returns the time at which the first queue expires or the next event reaches the age `eventLifetime`, whichever comes
 * first. Returns null if there are neither queues nor events.
 */
export async function findNextExpiry(
  db: Db,
  { since, eventLifetime, now }: { since: number; eventLifetime: number; now: number },
): Promise<number | null> {
  const queues = await db
    .selectFrom('eventQueues')
    .select((is) => [
      is.fn.min<number | null>(is('polledAt', '+', is.ref('lifespan'))).as('idleAt'),
      is.fn.min<number | null>('lifespan').as('lifespan'),
    ])
    .executeTakeFirst()
  const event = await db
    .selectFrom('events')
    .select((is) => is.fn.min<number | null>('createdAt').as('createdAt'))
    .where('createdAt', '>=', now - eventLifetime)
    .executeTakeFirst()
  const times: number[] = []
  if (queues?.idleAt != null && queues.lifespan !== null) times.push(Math.max(queues.idleAt, since + queues.lifespan))
  if (event?.createdAt != null) times.push(event.createdAt + eventLifetime)
  return times.length === 0 ? null : Math.min(...times)
}

/** Deletes the events that are older than `before` and that all queues of their organization have acknowledged. */
export async function deleteOldEvents(tx: Transaction, before: number): Promise<void> {
  await tx
    .deleteFrom('events')
    .where('createdAt', '<', before)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('eventQueues')
            .select('eventQueues.id')
            .whereRef('eventQueues.realmId', '=', 'events.realmId')
            .whereRef('eventQueues.acknowledgedId', '<', 'events.id'),
        ),
      ),
    )
    .execute()
  await deleteOldAudiences(tx)
}
