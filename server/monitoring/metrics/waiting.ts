import { sql } from 'kysely'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import type { Db } from '#storage/storage.ts'

type DeliveryKindWaiting = 'email' | 'webhook' | 'browser_push' | 'mobile_push' | 'scheduled_message'

/** The deliveries of a kind that are due, and the time since which the oldest one has been waiting. */
export type Waiting = { readonly kind: DeliveryKindWaiting; readonly count: number; readonly oldestAt: number | null }

const count = sql<number>`count(*)`.as('count')
const oldest = sql<number | null>`min("dueAt")`.as('oldestAt')

/** Returns the emails that are due: of one organization, or of all. The oldest one counts from its creation. */
export async function findWaitingMails(db: Db, now: number, realmId: number | null = null): Promise<Waiting> {
  const found = await db
    .selectFrom('mails')
    .select([count, sql<number | null>`min("createdAt")`.as('oldestAt')])
    .where('dueAt', '<=', now)
    .where('state', '=', 'queued')
    .$if(realmId !== null, (query) => query.where('realmId', '=', realmId))
    .executeTakeFirstOrThrow()
  return { kind: 'email', count: Number(found.count), oldestAt: found.oldestAt }
}

/** Returns the deliveries of all organizations that are due, by kind. */
export async function findWaiting(db: Db, now: number): Promise<Waiting[]> {
  const [emails, webhooks, browsers, devices, scheduled] = await Promise.all([
    findWaitingMails(db, now),
    db.selectFrom('webhookCalls').select([count, oldest]).where('dueAt', '<=', now).executeTakeFirstOrThrow(),
    db.selectFrom('pushNotices').select([count, oldest]).where('dueAt', '<=', now).executeTakeFirstOrThrow(),
    db
      .selectFrom('mobilePushes')
      .select([count, oldest])
      .where('sentAt', 'is', null)
      .where('dueAt', '<=', now)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('scheduledMessages')
      .select([count, oldest])
      .where('failedAt', 'is', null)
      .where('dueAt', '<=', now)
      .executeTakeFirstOrThrow(),
  ])
  const of = (kind: Waiting['kind'], found: { count: number; oldestAt: number | null }): Waiting => ({
    kind,
    count: Number(found.count),
    oldestAt: found.oldestAt,
  })
  return [
    emails,
    of('webhook', webhooks),
    of('browser_push', browsers),
    of('mobile_push', devices),
    of('scheduled_message', scheduled),
  ]
}

/** Returns the number of emails that were tried and will be tried again: of one organization, or of all. */
export async function findDeferred(db: Db, realmId: number | null = null): Promise<number> {
  const found = await db
    .selectFrom('mails')
    .select(count)
    .where('dueAt', 'is not', null)
    .where('attempts', '>', 0)
    .$if(realmId !== null, (query) => query.where('realmId', '=', realmId))
    .executeTakeFirstOrThrow()
  return Number(found.count)
}

/** Returns the bots of an organization whose last call of their webhook within a week failed. */
export async function findFailingWebhooks(
  db: Db,
  realmId: number,
  now: number,
): Promise<{ botId: number; endedAt: number }[]> {
  const newest = db
    .selectFrom('outgoingDeliveries')
    .innerJoin('users', 'users.id', 'outgoingDeliveries.botId')
    .select(({ fn }) => fn.max('outgoingDeliveries.id').as('id'))
    .where('users.realmId', '=', realmId)
    .where('users.deactivatedAt', 'is', null)
    .where('outgoingDeliveries.endedAt', '>', now - 7 * SECONDS_PER_DAY)
    .where('outgoingDeliveries.outcome', '!=', 'left_out')
    .groupBy('outgoingDeliveries.botId')
  const rows = await db
    .selectFrom('outgoingDeliveries')
    .select(['botId', 'endedAt'])
    .where('id', 'in', newest)
    .where('outcome', '=', 'failed')
    .orderBy('botId')
    .execute()
  return rows.flatMap(({ botId, endedAt }) => (endedAt === null ? [] : [{ botId, endedAt }]))
}
