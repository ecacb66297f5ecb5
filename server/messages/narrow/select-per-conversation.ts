import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#storage/storage.ts'
import { Flag, MOVED_TO_UNSUBSCRIBED } from '../flags/flag.ts'
import type { AccessScope } from './access-scope.ts'
import type { Filter, IndexHints } from './clause.ts'
import { type IdRange, type IndexScan, selectByFlags, selectIds } from './select-ids.ts'
import { all, type Condition, type Ids, isAmong } from './sql.ts'

/**
 * `sources` selects the reader's channels, or the reader's direct conversations. `scan` reads the messages of the
 * source in "sources"."sourceId".
 */
type SourceKind = { sources: RawBuilder<unknown>; scan: IndexScan }

/** The number of messages to read from each source to find the cutoff id of the range. */
const SAMPLE = 8

/**
 * Selects the ids of a range of messages that the reader received. It scans each source, which is a channel or a direct
 * conversation, separately. Messages in other sources cost nothing, and each scan reads little more than it returns.
 */
export function selectPerConversation(db: Db, filter: Filter, range: IdRange): Ids {
  const { order, limit } = range
  const kinds = sourceKindsOf(db, filter)
  const selectBest = ({ scan }: SourceKind) => selectIds(db, filter, scan, { ...range, limit: 1 })
  const rated = kinds.map(
    (kind, number) => sql`select ${sql.lit(number)} as "kind", "sourceId", (${selectBest(kind)}) as "best"
      from (${kind.sources}) as "sources"`,
  )
  const samples = inLeading(db, kinds, ({ scan }) => selectIds(db, filter, scan, { ...range, limit: SAMPLE }))
  const furthest = sql.raw(order === 'desc' ? 'min' : 'max')
  const farEnd = order === 'desc' ? range.first : range.last
  const edge = sql<number>`(select "id" from "edge")`
  const found = inLeading(db, kinds, ({ scan }) => selectIds(db, filter, { ...scan, cutoffId: edge }, range))
  const outside = filter.hints.isDirect || filter.hints.isUnread ? [] : [selectOutsideSubscriptions(db, filter, range)]
  const parts = [found, ...outside].map((part) => sql`select "id" from (${part}) as "part"`)
  // "best" is the first matching message of a source, in the order of the range. Only the `limit` sources whose best
  // messages come first can contribute to the result.
  return sql<number>`with "rated" as materialized (${sql.join(rated, sql` union all `)}),
    "leading" as materialized (select "kind", "sourceId" from "rated" where "best" is not null
      order by "best" ${sql.raw(order)} limit ${limit}),
    "sampled" as (select "id" from (${samples}) as "samples" order by "id" ${sql.raw(order)} limit ${limit}),
    "edge" as materialized (select case count(*) when ${limit} then ${furthest}("id")
      else cast(${farEnd} as bigint) end as "id" from "sampled")
    select "id" from (${sql.join(parts, sql` union `)}) as "found" order by "id" ${sql.raw(order)} limit ${limit}`
}

/** Runs `select` for each leading source. */
function inLeading(db: Db, kinds: readonly SourceKind[], select: (kind: SourceKind) => Ids): Ids {
  const selections = kinds.map((kind, number) => {
    const sources = sql`(select "sourceId" from "leading" where "kind" = ${sql.lit(number)}) as "sources"`
    return db.dialect === 'sqlite'
      ? sql`select "each"."id" from ${sources} cross join "messages" as "each" where "each"."id" in (${select(kind)})`
      : sql`select "each"."id" from ${sources} cross join lateral (${select(kind)}) as "each"`
  })
  return sql<number>`${sql.join(selections, sql` union all `)}`
}

function sourceKindsOf(db: Db, { scope, hints }: Filter): SourceKind[] {
  const kinds: SourceKind[] = []
  if (!hints.isDirect) kinds.push(channelSources(db, scope, hints))
  if (hints.topicKey === undefined) kinds.push(conversationSources(scope, hints))
  return kinds
}

function channelSources(db: Db, scope: AccessScope, hints: IndexHints): SourceKind {
  const isSubscriber = sql<boolean>`"userId" = ${scope.userId}
    and ${isAmong(db, 'channelId', scope.fullAccessIds.union(scope.receivedOnlyIds))}`
  const sources = sql`select "channelId" as "sourceId" from "subscriptions"
    where ${hints.isUnread ? all([isSubscriber, sql<boolean>`"unsubscribedAt" is null`]) : isSubscriber}`
  const conditions: Condition[] = [sql`"messages"."channelId" = "sources"."sourceId"`]
  if (hints.topicKey !== undefined) conditions.push(sql`"messages"."topicKey" = ${hints.topicKey}`)
  const minId = hints.isUnread ? selectReadMark(scope.userId, { channelId: sql`"sources"."sourceId"` }) : undefined
  return { sources, scan: { where: all(conditions), ...(minId && { minId }) } }
}

function conversationSources({ userId }: AccessScope, hints: IndexHints): SourceKind {
  const sources = sql`select "conversationId" as "sourceId" from "conversationMembers" where "userId" = ${userId}`
  const where = sql<boolean>`"messages"."conversationId" = "sources"."sourceId"`
  const minId = hints.isUnread ? selectReadMark(userId, { conversationId: sql`"sources"."sourceId"` }) : undefined
  return { sources, scan: { where, ...(minId && { minId }) } }
}

/**
 * Selects messages that the reader has a record of, although the reader was never subscribed to their channel: starred
 * messages and moved messages.
 */
function selectOutsideSubscriptions(db: Db, filter: Filter, range: IdRange): Ids {
  return selectByFlags(db, filter, range, Flag.historical | MOVED_TO_UNSUBSCRIBED)
}

/** Selects the id below which the reader has no unread messages in the channel or conversation. */
export function selectReadMark(
  userId: number,
  { channelId, conversationId }: { channelId?: RawBuilder<unknown>; conversationId?: RawBuilder<unknown> },
): RawBuilder<number> {
  return sql<number>`coalesce((select "messageId" from "readMarks"
    where "channelId" = ${channelId ?? sql`0`} and "conversationId" = ${conversationId ?? sql`0`}
      and "userId" = ${userId}), 0)`
}
