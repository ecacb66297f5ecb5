import type { Db } from '#storage/storage.ts'
import type { Filter } from './clause.ts'
import { planQueries } from './plan-queries.ts'
import type { IdRange } from './select-ids.ts'
import { type Ids, parenthesized } from './sql.ts'

/** The anchor that clients send for the newest message. It is greater than every message id. */
export const NEWEST = 10_000_000_000_000_000

export type AnchoredRange = { anchor: number; before: number; after: number; includesAnchor: boolean }

/**
 * The rows of a range, in ascending order. `foundAnchor` is true if the anchor is among them. `foundOldest` and
 * `foundNewest` are true if the range reaches the oldest or newest message of the narrow.
 */
export type MatchedRows<Row> = { rows: Row[]; foundAnchor: boolean; foundOldest: boolean; foundNewest: boolean }

type ReadRows<Row> = (ids: Ids) => Promise<Row[]>

/** Returns the messages of a narrow around the anchor. It runs one statement for each side, and rarely a second one. */
export async function findPage<Row extends { id: number }>(
  db: Db,
  filter: Filter,
  { anchor, before, after, includesAnchor }: AnchoredRange,
  read: ReadRows<Row>,
): Promise<MatchedRows<Row>> {
  const isNewest = anchor >= NEWEST
  const isOldest = anchor <= 0
  const findOlder = async () => {
    if (isOldest) return []
    const last = includesAnchor ? anchor : anchor - 1
    const limit = before + (includesAnchor && !isNewest ? 1 : 0)
    return findInRange(db, filter, { first: before === 0 ? anchor : 1, last, order: 'desc', limit }, read)
  }
  const findNewer = async () => {
    if (isNewest) return []
    return findInRange(db, filter, { first: anchor + 1, last: NEWEST, order: 'asc', limit: after }, read)
  }
  const [older, newer] = await Promise.all([findOlder(), findNewer()])
  const foundAnchor = older.at(-1)?.id === anchor
  const preceding = foundAnchor ? older.slice(0, -1) : older
  const shown = older.slice(Math.max(0, preceding.length - before))
  return {
    rows: [...shown, ...newer],
    foundAnchor,
    foundOldest: isOldest || preceding.length < before,
    foundNewest: isNewest || newer.length < after,
  }
}

/** Returns the rows in ascending order of ids, even if the range starts at the newest message. */
export async function findInRange<Row extends { id: number }>(
  db: Db,
  filter: Filter,
  range: IdRange,
  read: ReadRows<Row>,
): Promise<Row[]> {
  if (range.limit === 0) return []
  let rows: Row[] = []
  for (const ids of planQueries(db, filter, range)) {
    rows = await read(parenthesized(ids))
    if (rows.length === range.limit) break
  }
  return rows.sort((a, b) => a.id - b.id)
}
