import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/storage/storage.ts'
import { INDEXED_FLAGS } from '../flags/flag.ts'
import { matchesPhrases } from '../search/phrases.ts'
import type { Filter } from './clause.ts'
import { all, type Condition, type Ids, isAmong, parenthesized } from './sql.ts'

/** Ids from `first` to `last`, both included, from one end, and at most so many. */
export type IdRange = { first: number; last: number; order: 'asc' | 'desc'; limit: number }

/** Which messages to walk through. */
export type IndexScan = {
  /** What the walk begins with: an index has its messages in the order of their ids. */
  where: Condition
  /** An id below which there is none. */
  minId?: RawBuilder<number>
  /** An id beyond which, in the order of the stretch, none is wanted. */
  cutoffId?: RawBuilder<number>
}

/** The ids of a stretch, found by walking through the messages that `where` names. */
export function selectIds(db: Db, filter: Filter, search: IndexScan, stretch: IdRange): Ids {
  return statement(db, filter, { ...search, from: withRecord(filter), id: 'messages.id' }, stretch)
}

/** The ids of a stretch, found in the index of words. */
export function selectByPhrases(db: Db, filter: Filter, stretch: IdRange): Ids {
  const from = sql`"messageWords" cross join ${withRecord(filter)}`
  const where = sql<boolean>`${matchesPhrases(db, filter.aim.phrases ?? [])} and "messages"."id" = "messageWords"."rowid"`
  return statement(db, filter, { from, where, id: 'messageWords.rowid' }, stretch)
}

/** The ids of a stretch, found among the few records that have one of the flags `MARKS`. */
export function selectByFlags(db: Db, filter: Filter, stretch: IdRange, flags: number = INDEXED_FLAGS): Ids {
  const from = sql`"userMessages" cross join "messages"`
  const where = sql<boolean>`"userMessages"."userId" = ${filter.reach.userId}
    and "userMessages"."messageId" = "messages"."id"
    and ("userMessages"."flags" & ${sql.lit(INDEXED_FLAGS)}) <> 0 and ("userMessages"."flags" & ${flags}) <> 0`
  return statement(db, { ...filter, receivedOnly: false }, { from, where, id: 'userMessages.messageId' }, stretch)
}

/** The messages, each with the reader's record of it; the order of the words is the order of the look-ups on SQLite. */
function withRecord({ receivedOnly, reach }: Pick<Filter, 'receivedOnly' | 'reach'>): RawBuilder<unknown> {
  if (receivedOnly) return sql`"messages" cross join "userMessages"`
  return sql`"messages" left join "userMessages"
    on "userMessages"."messageId" = "messages"."id" and "userMessages"."userId" = ${reach.userId}`
}

type ScanStatement = IndexScan & { from: RawBuilder<unknown>; id: string }

function statement(
  db: Db,
  filter: Filter,
  { from, where, id, minId: least, cutoffId: edge }: ScanStatement,
  stretch: IdRange,
): Ids {
  const { first, last, order, limit } = stretch
  const [greatest, smallest] = db.dialect === 'sqlite' ? ['max', 'min'] : ['greatest', 'least']
  const start = extreme(greatest, first, [least, order === 'desc' ? edge : undefined])
  const end = extreme(smallest, last, [order === 'asc' ? edge : undefined])
  const isOwn = sql<boolean>`"userMessages"."messageId" = "messages"."id"
    and "userMessages"."userId" = ${filter.reach.userId}`
  return sql<number>`select "messages"."id" from ${from}
    where ${all([where, ...(filter.receivedOnly ? [isOwn] : []), filter.condition])}
      and ${sql.ref(id)} between ${start} and ${end}
    order by ${sql.ref(id)} ${sql.raw(order)} limit ${limit}`
}

/** The greatest or the smallest of the bounds that there are. */
function extreme(name: string | undefined, bound: number, others: readonly (RawBuilder<number> | undefined)[]) {
  const given = others.filter((other) => other !== undefined)
  if (given.length === 0) return sql<number>`${bound}`
  return sql<number>`${sql.raw(name ?? '')}(cast(${bound} as bigint), ${sql.join(given)})`
}

/** Those of the ids that the filter has, be they received or not. */
export function selectAmong(db: Db, filter: Filter, messageIds: readonly number[]): Ids {
  const where = isAmong(db, 'messages.id', messageIds)
  const { condition, reach } = filter
  return parenthesized(sql<number>`select "messages"."id" from ${withRecord({ receivedOnly: false, reach })}
    where ${all([where, condition])}`)
}
