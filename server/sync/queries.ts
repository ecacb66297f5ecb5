import { toBase32 } from '../base/secrets.ts'
import { defineQuery } from '../storage/prepared-query.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import type { EventQueue, LoggedEvent, QueueForm } from './queue.ts'

/** Events that are read at once. */
export const PAGE = 500

const eventsAfter = defineQuery((db, realmId: number, id: number) =>
  db
    .selectFrom('events')
    .select(['id', 'type', 'payload', 'audience'])
    .where('realmId', '=', realmId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(PAGE),
)

/** The next events of the organization after `id`, whomever they are for, in their order; at most a page. */
export async function findEventsAfter(db: Db, realmId: number, id: number): Promise<LoggedEvent[]> {
  const rows = await eventsAfter(db, realmId, id)
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    payload: JSON.parse(row.payload) as LoggedEvent['payload'],
    audience: new Set(JSON.parse(row.audience) as number[]),
  }))
}

/** The id of the organization's last event; 0 while there was none. */
export async function findLastEventId(db: Db, realmId: number): Promise<number> {
  const row = await db.selectFrom('counters').select('value').where('name', '=', `event:${realmId}`).executeTakeFirst()
  return row?.value ?? 0
}

/**
 * The id of the last event, no other of the organization being committed before the transaction ends: what is read in it
 * from now on is the state as of that event.
 */
export async function lockLastEventId(tx: Transaction, realmId: number): Promise<number> {
  const name = `event:${realmId}`
  await tx
    .insertInto('counters')
    .values({ name, value: 0 })
    .onConflict((on) => on.doNothing())
    .execute()
  const row = await tx.db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row.value
}

export type NewQueue = Pick<EventQueue, 'realmId' | 'userId' | 'startId' | 'lifespan' | 'form'>

export async function saveQueue(tx: Transaction, queue: NewQueue): Promise<EventQueue> {
  const saved: EventQueue = {
    ...queue,
    id: toBase32(tx.random.bytes(20)),
    registeredAt: tx.now,
    acknowledgedId: queue.startId,
    polledAt: tx.now,
  }
  await tx
    .insertInto('eventQueues')
    .values({ ...saved, form: JSON.stringify(saved.form), hearsAllPublic: saved.form.allPublicChannels ? 1 : 0 })
    .execute()
  return saved
}

export async function findQueue(db: Db, id: string): Promise<EventQueue | null> {
  const row = await db.selectFrom('eventQueues').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const { hearsAllPublic, form, ...queue } = row
  return { ...queue, form: JSON.parse(form) as QueueForm }
}

export type Progress = Pick<EventQueue, 'id' | 'acknowledgedId' | 'polledAt'>

/** Notes how far clients are. */
export async function saveProgress(tx: Transaction, queues: readonly Progress[]): Promise<void> {
  for (const { id, acknowledgedId, polledAt } of queues)
    await tx.updateTable('eventQueues').set({ acknowledgedId, polledAt }).where('id', '=', id).execute()
}

export async function endQueues(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('eventQueues').where('id', 'in', ids).execute()
}

/** The queues that nobody has polled for longer than they may idle; time before `since` does not count. */
export async function findIdleQueueIds(db: Db, now: number, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('eventQueues')
    .select('id')
    .where((is) => is(is('polledAt', '+', is.ref('lifespan')), '<', now))
    .where('lifespan', '<', Math.ceil(now - since))
    .execute()
  return rows.map((row) => row.id)
}

/** Deletes the events that are older than `before` and that every queue of their organization is past. */
export async function endEvents(tx: Transaction, before: number): Promise<void> {
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
}
