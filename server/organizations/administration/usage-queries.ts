import { sql } from 'kysely'
import { dayOf, SECONDS_PER_DAY } from '#lib/clock.ts'
import { advanceCounter } from '#storage/counters.ts'
import { insertRows } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/** The maximum number of messages that one transaction counts. */
const BATCH = 2000

/** The maximum number of uncounted messages that are read to show the usage. */
const MAX_UNCOUNTED = 5000

/** The name of the counter that contains the id of the last counted message. */
const COUNTED = 'counted messages'

/** Counts the next messages by organization and day. Returns true if there may be more. */
export async function countNextMessages(tx: Transaction): Promise<boolean> {
  // Locks the counter until the commit, so that no message is counted twice.
  const last = await advanceCounter(tx, COUNTED, 0)
  const rows = await tx.db
    .selectFrom('messages')
    .select(['id', 'realmId', 'sentAt'])
    .where('id', '>', last)
    .orderBy('id')
    .limit(BATCH)
    .execute()
  const newest = rows.at(-1)
  if (newest === undefined) return false
  const byDay = Map.groupBy(rows, ({ realmId, sentAt }) => `${realmId}:${dayOf(sentAt)}`)
  for (const messages of byDay.values()) {
    const [{ realmId, sentAt }] = messages as [(typeof rows)[number]]
    await tx
      .insertInto('messageDays')
      .values({ realmId, day: dayOf(sentAt), messages: messages.length })
      .onConflict((on) =>
        on
          .columns(['realmId', 'day'])
          .doUpdateSet((row) => ({ messages: row('messageDays.messages', '+', messages.length) })),
      )
      .execute()
  }
  await advanceCounter(tx, COUNTED, newest.id - last)
  return rows.length === BATCH
}

/**
 * Returns the number of messages by day, for the day `from` and later ones. Days without messages are left out.
 * Messages that the job has not counted yet are included, up to 5,000 of the whole server.
 */
export async function findMessageDays(db: Db, realmId: number, from: number): Promise<ReadonlyMap<number, number>> {
  const counted = await db
    .selectFrom('messageDays')
    .select(['day', 'messages'])
    .where('realmId', '=', realmId)
    .where('day', '>=', from)
    .execute()
  const days = new Map(counted.map(({ day, messages }) => [day, messages]))
  for (const sentAt of await findUncounted(db, realmId)) {
    const day = dayOf(sentAt)
    if (day >= from) days.set(day, (days.get(day) ?? 0) + 1)
  }
  return days
}

async function findUncounted(db: Db, realmId: number): Promise<number[]> {
  const counter = await db.selectFrom('counters').select('value').where('name', '=', COUNTED).executeTakeFirst()
  const rows = await db
    .selectFrom('messages')
    .select(['realmId', 'sentAt'])
    .where('id', '>', counter?.value ?? 0)
    .orderBy('id')
    .limit(MAX_UNCOUNTED)
    .execute()
  return rows.filter((row) => row.realmId === realmId).map(({ sentAt }) => sentAt)
}

/** Returns the number of all messages of an organization by day, with those that the job has not counted yet. */
export async function findAllMessageDays(db: Db, realmId: number): Promise<MessageDay[]> {
  const counted = db.selectFrom('messageDays').select(['day', 'messages']).where('realmId', '=', realmId)
  const uncounted = db
    .selectFrom('messages')
    .select(({ fn }) => [dayOfMessage.as('day'), fn.countAll<number>().as('messages')])
    .where('realmId', '=', realmId)
    .where('id', '>', lastCounted)
    .groupBy(dayOfMessage)
  return db
    .selectFrom(counted.unionAll(uncounted).as('days'))
    .select(({ fn }) => ['day', fn.sum<number>('messages').as('messages')])
    .groupBy('day')
    .execute()
}

type MessageDay = { day: number; messages: number }

const dayOfMessage = sql<number>`cast(floor("sentAt" / ${sql.lit(SECONDS_PER_DAY)}) as bigint)`

const lastCounted = sql<number>`(select coalesce(max("value"), 0) from "counters" where "name" = ${sql.lit(COUNTED)})`

/** Counts all messages that the job has not counted yet, except for those of one organization. */
export async function countMessagesOfOthers(tx: Transaction, realmId: number): Promise<void> {
  const last = await advanceCounter(tx, COUNTED, 0)
  const found = await tx.db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('id').as('newest'))
    .executeTakeFirst()
  const newest = found?.newest ?? 0
  if (newest <= last) return
  const counts = tx.db
    .selectFrom('messages')
    .select(({ fn }) => ['realmId', dayOfMessage.as('day'), fn.countAll<number>().as('messages')])
    .where('id', '>', last)
    .where('id', '<=', newest)
    .where('realmId', '!=', realmId)
    .groupBy(['realmId', dayOfMessage])
  await tx
    .insertInto('messageDays')
    .columns(['realmId', 'day', 'messages'])
    .expression(counts)
    .onConflict((on) =>
      on
        .columns(['realmId', 'day'])
        .doUpdateSet((row) => ({ messages: row('messageDays.messages', '+', row.ref('excluded.messages')) })),
    )
    .execute()
  await advanceCounter(tx, COUNTED, newest - last)
}

/** Replaces the numbers of messages of an organization by day. */
export async function replaceMessageDays(tx: Transaction, realmId: number, days: readonly MessageDay[]): Promise<void> {
  await tx.deleteFrom('messageDays').where('realmId', '=', realmId).execute()
  insertRows(
    tx,
    'messageDays',
    days.map(({ day, messages }) => ({ realmId, day, messages })),
  )
}

/**
 * Returns the total size of the stored files, in bytes, by the day on which they were uploaded. The files of all days
 * before `from` are counted for the day `from - 1`.
 */
export async function findUploadDays(db: Db, realmId: number, from: number): Promise<ReadonlyMap<number, number>> {
  // These are literals instead of parameters, because PostgreSQL must recognize that the grouped and the selected
  // expression are the same.
  const [start, length] = [sql.lit(from * SECONDS_PER_DAY), sql.lit(SECONDS_PER_DAY)]
  const day = sql<number>`case when "createdAt" < ${start} then -1 else floor(("createdAt" - ${start}) / ${length}) end`
  const rows = await db
    .selectFrom('attachments')
    .select([day.as('offset'), sql<number>`sum("size")`.as('bytes')])
    .where('realmId', '=', realmId)
    .groupBy(day)
    .execute()
  return new Map(rows.map(({ offset, bytes }) => [from + Number(offset), Number(bytes)]))
}

/**
 * Returns, for each person with an active account, the time at which they last used a client; null if they never did.
 */
export async function findLastActivity(db: Db, realmId: number): Promise<(number | null)[]> {
  const rows = await db
    .selectFrom('users')
    .select(({ selectFrom }) =>
      selectFrom('activityIntervals')
        .select('endedAt')
        .whereRef('activityIntervals.userId', '=', 'users.id')
        .orderBy('startedAt', 'desc')
        .limit(1)
        .as('lastActiveAt'),
    )
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .execute()
  return rows.map(({ lastActiveAt }) => lastActiveAt)
}
