import type { Db } from '../../platform/storage/storage.ts'
import type { Filter } from './clause.ts'
import { planQueries } from './plan-queries.ts'
import type { IdRange } from './select-ids.ts'
import { type Ids, parenthesized } from './sql.ts'

/** Beyond every id of a message: the newest one, as clients name it. */
export const NEWEST = 10_000_000_000_000_000

export type AnchoredRange = { anchor: number; before: number; after: number; includesAnchor: boolean }

/** What a range holds, in ascending order, and which ends of the narrow it reaches. */
export type Page<Row> = { rows: Row[]; foundAnchor: boolean; foundOldest: boolean; foundNewest: boolean }

/** Reads the rows of these ids. */
type ReadRows<Row> = (ids: Ids) => Promise<Row[]>

/** The messages of a narrow around the anchor: a statement for each side of it, and seldom one more. */
export async function findPage<Row extends { id: number }>(
  db: Db,
  filter: Filter,
  { anchor, before, after, includesAnchor }: AnchoredRange,
  read: ReadRows<Row>,
): Promise<Page<Row>> {
  const isNewest = anchor >= NEWEST
  const isOldest = anchor <= 0
  const upTo = async () => {
    if (isOldest) return []
    const last = includesAnchor ? anchor : anchor - 1
    const limit = before + (includesAnchor && !isNewest ? 1 : 0)
    return findInRange(db, filter, { first: before === 0 ? anchor : 1, last, order: 'desc', limit }, read)
  }
  const beyond = async () => {
    if (isNewest) return []
    return findInRange(db, filter, { first: anchor + 1, last: NEWEST, order: 'asc', limit: after }, read)
  }
  const [older, newer] = await Promise.all([upTo(), beyond()])
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

/** In ascending order of their ids, whatever end they were counted from. */
export async function findInRange<Row extends { id: number }>(
  db: Db,
  filter: Filter,
  stretch: IdRange,
  read: ReadRows<Row>,
): Promise<Row[]> {
  if (stretch.limit === 0) return []
  let rows: Row[] = []
  for (const ids of planQueries(db, filter, stretch)) {
    rows = await read(parenthesized(ids))
    if (rows.length === stretch.limit) break
  }
  return rows.sort((one, other) => one.id - other.id)
}
