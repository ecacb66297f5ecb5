import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/storage/storage.ts'
import { Flag, MOVED_TO_UNSUBSCRIBED } from '../flags/flag.ts'
import type { AccessScope } from './access-scope.ts'
import type { Filter, IndexHints } from './clause.ts'
import { type IdRange, type IndexScan, selectByFlags, selectIds } from './select-ids.ts'
import { all, type Condition, type Ids, isAmong } from './sql.ts'

/** Places of one kind, and how to walk through the messages of one of them: "places"."place". */
type Kind = { places: RawBuilder<unknown>; search: IndexScan }

/** How many messages of each place are looked at to learn how far back the stretch reaches. */
const SAMPLE = 8

/**
 * The ids of a stretch of what the reader received, found in each channel and conversation of theirs by itself: what
 * others write elsewhere costs nothing, and of each place hardly more is looked at than what is shown of it.
 */
export function selectPerConversation(db: Db, filter: Filter, stretch: IdRange): Ids {
  const { order, limit } = stretch
  const kinds = kindsOf(db, filter)
  const best = ({ search }: Kind) => selectIds(db, filter, search, { ...stretch, limit: 1 })
  const rated = kinds.map(
    (kind, number) => sql`select ${sql.lit(number)} as "kind", "place", (${best(kind)}) as "best"
      from (${kind.places}) as "places"`,
  )
  const few = inLeading(db, kinds, ({ search }) => selectIds(db, filter, search, { ...stretch, limit: SAMPLE }))
  const furthest = sql.raw(order === 'desc' ? 'min' : 'max')
  const everything = order === 'desc' ? stretch.first : stretch.last
  const edge = sql<number>`(select "id" from "edge")`
  const found = inLeading(db, kinds, ({ search }) => selectIds(db, filter, { ...search, cutoffId: edge }, stretch))
  const elsewhere = filter.aim.isDirect || filter.aim.isUnread ? [] : [selectOutsideSubscriptions(db, filter, stretch)]
  const parts = [found, ...elsewhere].map((part) => sql`select "id" from (${part}) as "part"`)
  // A place whose best message is not among the best ones of all places has nothing to show.
  return sql<number>`with "rated" as materialized (${sql.join(rated, sql` union all `)}),
    "leading" as materialized (select "kind", "place" from "rated" where "best" is not null
      order by "best" ${sql.raw(order)} limit ${limit}),
    "few" as (select "id" from (${few}) as "samples" order by "id" ${sql.raw(order)} limit ${limit}),
    "edge" as materialized (select case count(*) when ${limit} then ${furthest}("id")
      else cast(${everything} as bigint) end as "id" from "few")
    select "id" from (${sql.join(parts, sql` union `)}) as "found" order by "id" ${sql.raw(order)} limit ${limit}`
}

/** The ids that `select` finds in each of the leading places. */
function inLeading(db: Db, kinds: readonly Kind[], select: (kind: Kind) => Ids): Ids {
  const selections = kinds.map((kind, number) => {
    const places = sql`(select "place" from "leading" where "kind" = ${sql.lit(number)}) as "places"`
    return db.dialect === 'sqlite'
      ? sql`select "each"."id" from ${places} cross join "messages" as "each" where "each"."id" in (${select(kind)})`
      : sql`select "each"."id" from ${places} cross join lateral (${select(kind)}) as "each"`
  })
  return sql<number>`${sql.join(selections, sql` union all `)}`
}

function kindsOf(db: Db, { reach, aim }: Filter): Kind[] {
  const kinds: Kind[] = []
  if (!aim.isDirect) kinds.push(channelsOf(db, reach, aim))
  if (aim.topicKey === undefined) kinds.push(conversationsOf(reach, aim))
  return kinds
}

function channelsOf(db: Db, reach: AccessScope, aim: IndexHints): Kind {
  const joined = sql<boolean>`"userId" = ${reach.userId}
    and ${isAmong(db, 'channelId', reach.whole.union(reach.received))}`
  const places = sql`select "channelId" as "place" from "subscriptions"
    where ${aim.isUnread ? all([joined, sql<boolean>`"unsubscribedAt" is null`]) : joined}`
  const here: Condition[] = [sql`"messages"."channelId" = "places"."place"`]
  if (aim.topicKey !== undefined) here.push(sql`"messages"."topicKey" = ${aim.topicKey}`)
  const least = aim.isUnread ? selectReadMark(reach.userId, { channelId: sql`"places"."place"` }) : undefined
  return { places, search: { where: all(here), ...(least && { minId: least }) } }
}

function conversationsOf({ userId }: AccessScope, aim: IndexHints): Kind {
  const places = sql`select "conversationId" as "place" from "conversationMembers" where "userId" = ${userId}`
  const where = sql<boolean>`"messages"."conversationId" = "places"."place"`
  const least = aim.isUnread ? selectReadMark(userId, { conversationId: sql`"places"."place"` }) : undefined
  return { places, search: { where, ...(least && { minId: least }) } }
}

/** What the reader has a record of where they never were, be it that they starred it or that it was moved there. */
function selectOutsideSubscriptions(db: Db, filter: Filter, stretch: IdRange): Ids {
  return selectByFlags(db, filter, stretch, Flag.historical | MOVED_TO_UNSUBSCRIBED)
}

/** The id below which the reader has nothing unread in the channel or the conversation. */
export function selectReadMark(
  userId: number,
  { channelId, conversationId }: { channelId?: RawBuilder<unknown>; conversationId?: RawBuilder<unknown> },
): RawBuilder<number> {
  return sql<number>`coalesce((select "messageId" from "readMarks"
    where "channelId" = ${channelId ?? sql`0`} and "conversationId" = ${conversationId ?? sql`0`}
      and "userId" = ${userId}), 0)`
}
