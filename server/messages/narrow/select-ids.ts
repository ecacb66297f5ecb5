import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#storage/storage.ts'
import { INDEXED_FLAGS } from '../flags/flag.ts'
import { matchesPhrases } from '../search/phrases.ts'
import type { Filter } from './clause.ts'
import { all, type Condition, type Ids, isAmong, parenthesized } from './sql.ts'

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
