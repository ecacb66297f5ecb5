import { sql } from 'kysely'
import { savePushNotices } from '../../delivery/web-push/notices/queries.ts'
import { findPushSubscriberIds } from '../../delivery/web-push/notices/subscription-queries.ts'
import { textList, textsIn } from '../../platform/storage/json-list.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { Flag } from '../flags/flag.ts'
import { findMissed } from './find-missed.ts'
import { AWAY_AFTER, hearsMessages } from './presence.ts'
import { saveNotes } from './queries.ts'
import { findTold } from './told.ts'
import type { Medium } from './wants.ts'

/** Of what somebody received last, so many messages are looked at. */
const MAX_COUNT = 1000

/**
 * Notes what people are to be told of who were there when it was sent, but whose last client never took it:
 * to be called as event queues end because nobody polls them, before they do.
 */
export async function noteUntaken(tx: Transaction, queueIds: readonly string[]): Promise<void> {
  for (const left of await findLeft(tx.db, queueIds)) {
    const { userId } = left
    const actor = await findTold(tx.db, userId)
    if (actor === null) continue
    const ids = await findUntakenIds(tx.db, left, actor.realm.settings.presence_disabled)
    if (ids.length === 0) continue
    const find = async (medium: Medium) =>
      (await findMissed(tx.db, actor, { medium, ids }, tx.now)).flatMap(({ messages }) => messages.map(({ id }) => id))
    const dueAt = tx.now + actor.settings.email_notifications_batching_period_seconds
    saveNotes(
      tx,
      (await find('mail')).map((messageId) => ({ userId, messageId, dueAt })),
    )
    // Whose browsers tell of messages although they are there was told when they were sent.
    if (actor.settings.enable_online_push_notifications) continue
    if (!(await findPushSubscriberIds(tx.db, actor.realmId)).has(userId)) continue
    for (const messageId of await find('push')) savePushNotices(tx, messageId, [{ userId, dueAt: tx.now }])
  }
}

/** Somebody whose last poll was at `polledAt`, and who counted as connected until `endedAt`. */
type Left = { userId: number; polledAt: number; endedAt: number }

/** Whom the queues leave without any that hears of messages. */
async function findLeft(db: Db, queueIds: readonly string[]): Promise<Left[]> {
  const ending = textsIn(db.dialect, textList(queueIds))
  return db
    .selectFrom('eventQueues as ended')
    .select(({ fn }) => ['ended.userId', fn.max('ended.polledAt').as('polledAt')])
    .select(sql<number>`max("ended"."polledAt" + "ended"."lifespan")`.as('endedAt'))
    .where('ended.id', 'in', ending)
    .where(hearsMessages('ended'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('eventQueues as other')
            .select('other.userId')
            .whereRef('other.userId', '=', 'ended.userId')
            .where('other.id', 'not in', ending)
            .where(hearsMessages('other')),
        ),
      ),
    )
    .groupBy('ended.userId')
    .execute()
}

/** Those of whom nobody was noted because their receiver was there. */
async function findUntakenIds(db: Db, { userId, polledAt, endedAt }: Left, isThereByQueue: boolean): Promise<number[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom('userMessages')
        .selectAll()
        .where('userId', '=', userId)
        .orderBy('messageId', 'desc')
        .limit(MAX_COUNT)
        .as('received'),
    )
    .innerJoin('messages', 'messages.id', 'received.messageId')
    .leftJoin('presences', 'presences.userId', 'received.userId')
    .select('messageId')
    .where('sentAt', '>', polledAt)
    .where('sentAt', '<', endedAt)
    .where('senderId', '!=', userId)
    .where(sql<boolean>`("flags" & ${Flag.read}) = 0`)
    .$if(!isThereByQueue, (query) =>
      query.where((is) => is(is('sentAt', '-', is.ref('lastActiveAt')), '<=', AWAY_AFTER)),
    )
    .execute()
  return rows.map((row) => row.messageId)
}
