import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#storage/storage.ts'
import { Flag, INDEXED_FLAGS, MOVED_TO_UNSUBSCRIBED } from '../flags.ts'
import {
  type AccessScope,
  all,
  type Condition,
  type Filter,
  type Ids,
  type IndexHints,
  isAmong,
  parenthesized,
} from '../narrow.ts'
import { matchesPhrases } from '../search/phrases.ts'

/**
 * At most `limit` ids from `first` to `last`, both included. With the order `desc`, these are the highest matching ids.
 */
export type IdRange = { first: number; last: number; order: 'asc' | 'desc'; limit: number }

/** The messages that a query scans. */
export type IndexScan = {
  /** The condition that selects the index. The index returns messages in the order of ids. */
  where: Condition
  /** The lower bound of the ids of all messages in the scan. */
  minId?: RawBuilder<number>
  /** The last id that can be needed, in the order of the range. */
  cutoffId?: RawBuilder<number>
}

export function selectIds(db: Db, filter: Filter, scan: IndexScan, range: IdRange): Ids {
  return statement(db, filter, { ...scan, from: withRecord(filter), id: 'messages.id' }, range)
}

/**
 * Selects the ids of a range with the full-text index. It reads matches in the order of the range and stops when there
 * are enough, so that a common word costs no more than a rare one. The reader's records come before the messages: they
 * are small, and most matches of a common word may be messages that the reader did not receive.
 */
export function selectByPhrases(db: Db, filter: Filter, range: IdRange): Ids {
  const { receivedOnly, hints } = filter
  const isMatch = sql<boolean>`${matchesPhrases(db, hints.phrases ?? [])} and "messages"."id" = "messageWords"."rowid"`
  const from = receivedOnly
    ? sql`"messageWords" cross join "userMessages" cross join "messages"`
    : sql`"messageWords" cross join ${withRecord(filter)}`
  const where = receivedOnly
    ? sql<boolean>`${isMatch} and "userMessages"."messageId" = "messageWords"."rowid"`
    : isMatch
  const withoutPhrases = { ...filter, condition: filter.conditionWithoutPhrases }
  return statement(db, withoutPhrases, { from, where, id: 'messageWords.rowid' }, range)
}

/** Selects the ids of a range from the few records that have one of the `INDEXED_FLAGS`. */
export function selectByFlags(db: Db, filter: Filter, range: IdRange, flags: number = INDEXED_FLAGS): Ids {
  const from = sql`"userMessages" cross join "messages"`
  const where = sql<boolean>`"userMessages"."userId" = ${filter.scope.userId}
    and "userMessages"."messageId" = "messages"."id"
    and ("userMessages"."flags" & ${sql.lit(INDEXED_FLAGS)}) <> 0 and ("userMessages"."flags" & ${flags}) <> 0`
  return statement(db, { ...filter, receivedOnly: false }, { from, where, id: 'userMessages.messageId' }, range)
}

/** Joins messages with the reader's records. On SQLite, a cross join fixes the order of the lookups. */
function withRecord({ receivedOnly, scope }: Pick<Filter, 'receivedOnly' | 'scope'>): RawBuilder<unknown> {
  if (receivedOnly) return sql`"messages" cross join "userMessages"`
  return sql`"messages" left join "userMessages"
    on "userMessages"."messageId" = "messages"."id" and "userMessages"."userId" = ${scope.userId}`
}

type ScanStatement = IndexScan & { from: RawBuilder<unknown>; id: string }

function statement(db: Db, filter: Filter, { from, where, id, minId, cutoffId }: ScanStatement, range: IdRange): Ids {
  const { first, last, order, limit } = range
  const [maxFunction, minFunction] = db.dialect === 'sqlite' ? ['max', 'min'] : ['greatest', 'least']
  const start = extreme(maxFunction, first, [minId, order === 'desc' ? cutoffId : undefined])
  const end = extreme(minFunction, last, [order === 'asc' ? cutoffId : undefined])
  const isOwn = sql<boolean>`"userMessages"."messageId" = "messages"."id"
    and "userMessages"."userId" = ${filter.scope.userId}`
  return sql<number>`select "messages"."id" from ${from}
    where ${all([where, ...(filter.receivedOnly ? [isOwn] : []), filter.condition])}
      and ${sql.ref(id)} between ${start} and ${end}
    order by ${sql.ref(id)} ${sql.raw(order)} limit ${limit}`
}

/** Returns the greatest or smallest of the bounds, depending on the SQL function `name`. */
function extreme(name: string | undefined, bound: number, others: readonly (RawBuilder<number> | undefined)[]) {
  const given = others.filter((other) => other !== undefined)
  if (given.length === 0) return sql<number>`${bound}`
  return sql<number>`${sql.raw(name ?? '')}(cast(${bound} as bigint), ${sql.join(given)})`
}

/**
 * Selects those of the ids whose messages the reader may still read. A query of this filter must have just returned the
 * ids.
 */
export const selectFound = (db: Db, filter: Filter, messageIds: readonly number[]): Ids =>
  selectAmong(db, { ...filter, condition: filter.conditionWithoutPhrases }, messageIds)

/** Selects those of the ids that the filter matches. The reader need not have received the messages. */
export function selectAmong(db: Db, filter: Filter, messageIds: readonly number[]): Ids {
  const where = isAmong(db, 'messages.id', messageIds)
  const { condition, scope } = filter
  return parenthesized(sql<number>`select "messages"."id" from ${withRecord({ receivedOnly: false, scope })}
    where ${all([where, condition])}`)
}

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
