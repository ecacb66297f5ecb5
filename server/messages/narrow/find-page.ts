import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#groups/viewer.ts'
import type { Db } from '#storage/storage.ts'
import {
  all,
  type Condition,
  type Filter,
  type Ids,
  type IndexHints,
  matchesNothing,
  not,
  parenthesized,
} from '../narrow.ts'
import { inMutedTopic, muted, unread } from './is-operators.ts'
import {
  type IdRange,
  type IndexScan,
  selectByFlags,
  selectByPhrases,
  selectIds,
  selectPerConversation,
  selectReadMark,
} from './select-ids.ts'

/** The number of messages that can be read for one unit of work. */
export const MESSAGES_PER_UNIT = 10

/** The units of work of a search without results. */
const SEARCH_UNITS = 25

/** Returns the units of work of reading messages. A search also highlights the matches in each. */
export function readingWork(messages: number, isSearch: boolean): number {
  const units = messages / MESSAGES_PER_UNIT
  return isSearch ? SEARCH_UNITS + 2 * units : units
}

/**
 * Returns the queries to try one after another until one of them finds `limit` messages. The last query finds every
 * match.
 */
function planQueries(db: Db, filter: Filter, given: IdRange): Ids[] {
  const { hints, scope, receivedOnly } = filter
  const range = withinHints(given, hints)
  const scan = narrowestScan(hints, scope.userId)
  if (scan !== null) return [selectIds(db, filter, scan, range)]
  if (hints.phrases !== undefined) return [selectByPhrases(db, filter, range)]
  if (hints.hasIndexedFlag) return [selectByFlags(db, filter, range)]
  const broader = broaderScan(hints, scope.userId)
  if (broader !== null) return [selectIds(db, filter, broader, range)]

  const where = sql<boolean>`"messages"."realmId" = ${scope.realmId}`
  if (hints.hasFeatures) return [selectIds(db, filter, { where: all([where, sql`"messages"."holdings" <> 0`]) }, range)]
  if (!receivedOnly) return [selectIds(db, filter, { where }, range)]
  const perConversation = selectPerConversation(db, filter, range)
  if (hints.isUnread || hints.isDirect || hints.topicKey !== undefined) return [perConversation]
  return [selectIds(db, filter, { where, cutoffId: endOfWindow(scope.realmId, range) }, range), perConversation]
}

const withinHints = (range: IdRange, { minId = range.first, maxId = range.last }: IndexHints): IdRange => ({
  ...range,
  first: Math.max(range.first, minId),
  last: Math.min(range.last, maxId),
})

/** Returns a scan that reads few messages regardless of the other conditions; null if there is none. */
function narrowestScan({ id, phrases, conversationId, isUnread }: IndexHints, userId: number): IndexScan | null {
  if (id !== undefined) return { where: sql`"messages"."id" = ${id}` }
  if (phrases?.length === 0) return { where: matchesNothing }
  if (phrases !== undefined || conversationId === undefined) return null
  const where = sql<boolean>`"messages"."conversationId" = ${conversationId}`
  return isUnread ? { where, minId: selectReadMark(userId, { conversationId: sql`${conversationId}` }) } : { where }
}

function broaderScan({ channelId, topicKey, senderId, isUnread }: IndexHints, userId: number): IndexScan | null {
  if (channelId === undefined) {
    return senderId === undefined ? null : { where: sql`"messages"."senderId" = ${senderId}` }
  }
  const conditions: Condition[] = [sql`"messages"."channelId" = ${channelId}`]
  if (topicKey !== undefined) conditions.push(sql`"messages"."topicKey" = ${topicKey}`)
  return isUnread
    ? { where: all(conditions), minId: selectReadMark(userId, { channelId: sql`${channelId}` }) }
    : { where: all(conditions) }
}

/**
 * The number of the organization's messages to scan before scanning the reader's channels and conversations instead.
 */
const WINDOW = 500

/**
 * Selects the last id of the window. It must be the only bound at that end of the range. With two bounds, SQLite
 * searches the index by one of them and may scan all messages of the organization to check the other.
 */
function endOfWindow(realmId: number, { first, last, order }: IdRange): RawBuilder<number> {
  const outermost = order === 'desc' ? 'min' : 'max'
  return sql<number>`(
    select ${sql.raw(outermost)}("window"."id") from (
      select "id" from "messages" where "realmId" = ${realmId} and "id" between ${first} and ${last}
      order by "id" ${sql.raw(order)} limit ${WINDOW}) as "window")`
}

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

/** Returns the id of the reader's first unread message in the narrow, or `NEWEST` if there is none. */
export async function findFirstUnread(viewer: Viewer, filter: Filter): Promise<number> {
  const { db, largeReads } = viewer
  const { hints, condition } = filter
  const unreadFilter = {
    ...filter,
    hints: { ...hints, isUnread: true as const },
    receivedOnly: true,
    condition: all([condition, unread, ...mutedConditions(hints, viewer).map(not)]),
  }
  const range = { first: 1, last: NEWEST, order: 'asc', limit: 1 } as const
  const [first] = await findInRange(db, unreadFilter, range, (ids) =>
    largeReads.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  return first?.id ?? NEWEST
}

/**
 * Returns conditions that match muted messages, which are skipped. The mute of a channel or topic is ignored if the
 * narrow names that channel or topic.
 */
function mutedConditions({ channelId, topicKey }: IndexHints, viewer: Viewer): Condition[] {
  if (channelId === undefined) return [muted(viewer.actor)]
  return topicKey === undefined ? [inMutedTopic(viewer.actor)] : []
}
