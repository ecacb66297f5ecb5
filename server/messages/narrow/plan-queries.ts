import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/storage/storage.ts'
import type { Filter, IndexHints } from './clause.ts'
import { type IdRange, type IndexScan, selectByFlags, selectByPhrases, selectIds } from './select-ids.ts'
import { selectPerConversation, selectReadMark } from './select-per-conversation.ts'
import { all, type Condition, type Ids, nothing } from './sql.ts'

/** Ways to find the stretch, to be tried until one has found as many messages as were asked for; the last finds all. */
export function planQueries(db: Db, filter: Filter, stretch: IdRange): Ids[] {
  const { aim, reach, receivedOnly } = filter
  const search = narrowestScan(aim, reach.userId)
  if (search !== null) return [selectIds(db, filter, search, stretch)]
  if (aim.phrases !== undefined) return [selectByPhrases(db, filter, stretch)]
  if (aim.hasIndexedFlag) return [selectByFlags(db, filter, stretch)]
  const broader = broaderScan(aim, reach.userId)
  if (broader !== null) return [selectIds(db, filter, broader, stretch)]

  const where = sql<boolean>`"messages"."realmId" = ${reach.realmId}`
  if (aim.hasHoldings) return [selectIds(db, filter, { where: all([where, sql`"messages"."holdings" <> 0`]) }, stretch)]
  if (!receivedOnly) return [selectIds(db, filter, { where }, stretch)]
  const inPlaces = selectPerConversation(db, filter, stretch)
  if (aim.isUnread || aim.isDirect || aim.topicKey !== undefined) return [inPlaces]
  return [selectIds(db, filter, { where, cutoffId: endOfWindow(reach.realmId, stretch) }, stretch), inPlaces]
}

/** Few messages, whatever else is asked of them. */
function narrowestScan({ id, phrases, conversationId, isUnread }: IndexHints, userId: number): IndexScan | null {
  if (id !== undefined) return { where: sql`"messages"."id" = ${id}` }
  if (phrases?.length === 0) return { where: nothing }
  if (phrases !== undefined || conversationId === undefined) return null
  const where = sql<boolean>`"messages"."conversationId" = ${conversationId}`
  return isUnread ? { where, minId: selectReadMark(userId, { conversationId: sql`${conversationId}` }) } : { where }
}

function broaderScan({ channelId, topicKey, senderId, isUnread }: IndexHints, userId: number): IndexScan | null {
  if (channelId === undefined) {
    return senderId === undefined ? null : { where: sql`"messages"."senderId" = ${senderId}` }
  }
  const here: Condition[] = [sql`"messages"."channelId" = ${channelId}`]
  if (topicKey !== undefined) here.push(sql`"messages"."topicKey" = ${topicKey}`)
  return isUnread
    ? { where: all(here), minId: selectReadMark(userId, { channelId: sql`${channelId}` }) }
    : { where: all(here) }
}

/** How many messages of the organization are looked through before the reader's own places are. */
const WINDOW = 500

/**
 * The last id of the window. It has to be the only bound at that end: of two, SQLite takes one for the search in the
 * index, and could walk through all messages of the organization to compare them with the other.
 */
function endOfWindow(realmId: number, { first, last, order }: IdRange): RawBuilder<number> {
  const edge = order === 'desc' ? 'min' : 'max'
  return sql<number>`(
    select ${sql.raw(edge)}("next"."id") from (
      select "id" from "messages" where "realmId" = ${realmId} and "id" between ${first} and ${last}
      order by "id" ${sql.raw(order)} limit ${WINDOW}) as "next")`
}
