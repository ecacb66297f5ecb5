import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#storage/storage.ts'
import type { Filter, IndexHints } from './clause.ts'
import { type IdRange, type IndexScan, selectByFlags, selectByPhrases, selectIds } from './select-ids.ts'
import { selectPerConversation, selectReadMark } from './select-per-conversation.ts'
import { all, type Condition, type Ids, matchesNothing } from './sql.ts'

/**
 * Returns the queries to try one after another until one of them finds `limit` messages. The last query finds every
 * match.
 */
export function planQueries(db: Db, filter: Filter, given: IdRange): Ids[] {
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
