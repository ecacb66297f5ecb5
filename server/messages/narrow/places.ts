import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../storage/storage.ts'
import { ELSEWHERE, Flag } from '../flag.ts'
import type { Filter } from './clause.ts'
import { type Search, type Stretch, selectIds, selectMarked } from './select-ids.ts'
import { all, type Condition, type Ids, isAmong } from './sql.ts'

/**
 * The ids of a stretch of what the reader received, found in each channel and conversation of theirs by itself: what
 * others write elsewhere costs nothing.
 */
export function selectInPlaces(db: Db, filter: Filter, stretch: Stretch): Ids {
  const { aim } = filter
  const parts: Ids[] = []
  if (!aim.isDirect) parts.push(inChannels(db, filter, stretch))
  if (aim.topicKey === undefined) parts.push(inConversations(db, filter, stretch))
  if (!aim.isDirect && !aim.isUnread) parts.push(ofElsewhere(db, filter, stretch))
  const union = sql.join(
    parts.map((part) => sql`select * from (${part}) as "part"`),
    sql` union `,
  )
  return sql<number>`select "id" from (${union}) as "found"
    order by "id" ${sql.raw(stretch.order)} limit ${stretch.limit}`
}

function inChannels(db: Db, filter: Filter, stretch: Stretch): Ids {
  const { reach, aim } = filter
  const joined = sql<boolean>`"userId" = ${reach.userId}
    and ${isAmong(db, 'channelId', reach.whole.union(reach.received))}`
  const places = sql`select "channelId" as "place" from "subscriptions"
    where ${aim.isUnread ? all([joined, sql<boolean>`"unsubscribedAt" is null`]) : joined}`
  const here: Condition[] = [sql`"messages"."channelId" = "places"."place"`]
  if (aim.topicKey !== undefined) here.push(sql`"messages"."topicKey" = ${aim.topicKey}`)
  const least = aim.isUnread ? readMark(reach.userId, { channelId: sql`"places"."place"` }) : undefined
  return inEach(db, filter, places, { where: all(here), ...(least && { least }) }, stretch)
}

function inConversations(db: Db, filter: Filter, stretch: Stretch): Ids {
  const { userId } = filter.reach
  const places = sql`select "conversationId" as "place" from "conversationMembers" where "userId" = ${userId}`
  const where = sql<boolean>`"messages"."conversationId" = "places"."place"`
  const least = filter.aim.isUnread ? readMark(userId, { conversationId: sql`"places"."place"` }) : undefined
  return inEach(db, filter, places, { where, ...(least && { least }) }, stretch)
}

/** What the reader has a record of where they never were, be it that they starred it or that it was moved there. */
function ofElsewhere(db: Db, filter: Filter, stretch: Stretch): Ids {
  return selectMarked(db, filter, stretch, Flag.historical | ELSEWHERE)
}

/** The id below which the reader has nothing unread in the channel or the conversation. */
export function readMark(
  userId: number,
  { channelId, conversationId }: { channelId?: RawBuilder<unknown>; conversationId?: RawBuilder<unknown> },
): RawBuilder<number> {
  return sql<number>`coalesce((select "messageId" from "readMarks"
    where "channelId" = ${channelId ?? sql`0`} and "conversationId" = ${conversationId ?? sql`0`}
      and "userId" = ${userId}), 0)`
}

/** The best of each place; places whose own best one is not among the best of all are not looked through. */
function inEach(db: Db, filter: Filter, places: RawBuilder<unknown>, search: Search, stretch: Stretch): Ids {
  const { order, limit } = stretch
  const best = selectIds(db, filter, search, { ...stretch, limit: 1 })
  const leading = sql`select "place" from (select "place", (${best}) as "best" from (${places}) as "places") as "rated"
    where "best" is not null order by "best" ${sql.raw(order)} limit ${limit}`
  const found = selectIds(db, filter, search, stretch)
  return db.dialect === 'sqlite'
    ? sql<number>`select "each"."id" from (${leading}) as "places" cross join "messages" as "each"
        where "each"."id" in (${found})`
    : sql<number>`select "each"."id" from (${leading}) as "places" cross join lateral (${found}) as "each"`
}
