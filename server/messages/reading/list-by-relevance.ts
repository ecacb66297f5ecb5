import { sql } from 'kysely'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import { MAX_LIST_BYTES } from '#lib/protocol.ts'
import type { LargeReads } from '#storage/storage.ts'
import type { MessageFormat } from '../message.ts'
import { readNarrow } from '../narrow/filter.ts'
import { findInRange, NEWEST } from '../narrow/find-page.ts'
import { selectFound } from '../narrow/select-ids.ts'
import type { Ids, Term } from '../narrow.ts'
import { findUserMessages } from '../queries.ts'
import { byRelevance, type RankedText } from '../search/find-matches.ts'
import { type MessagePage, serializeFound } from './list-messages.ts'

/**
 * The maximum number of results to compare. The newest ones are compared. With this limit, the cost does not grow with
 * the organization.
 */
const MAX_COMPARED = 300

/** The maximum number of characters that are compared of each message, from the beginning of its HTML. */
const MAX_COMPARED_LENGTH = 1500

export const onlySearchesHaveRelevance = refusal(
  'BAD_REQUEST',
  400,
  'Only searches for words can be ordered by relevance',
  { field: 'order' },
)

/**
 * Returns the most relevant messages of a search, most relevant first. Returns fewer than `count` if they are too large
 * for one response. `foundOldest` is true if the search has no other results, and `compared` is the number of compared
 * messages.
 */
export async function listByRelevance(
  viewer: Viewer,
  { terms, count }: { terms: readonly Term[]; count: number },
  format: MessageFormat,
): Promise<MessagePage & { compared: number }> {
  const { db, actor, largeReads } = viewer
  const filter = await readNarrow(viewer, terms)
  const { phrases } = filter.hints
  if (phrases === undefined) throw onlySearchesHaveRelevance()
  const range = { first: 1, last: NEWEST, order: 'desc', limit: MAX_COMPARED } as const
  const texts = await findInRange(db, filter, range, (ids) => findTexts(largeReads, ids))
  const ranks = new Map(
    byRelevance(texts, phrases)
      .slice(0, count)
      .map(({ id }, rank) => [id, rank]),
  )

  const found = await findUserMessages(largeReads, actor.id, selectFound(db, filter, [...ranks.keys()]))
  const rankOf = ({ id }: { id: number }) => ranks.get(id) ?? 0
  const { rows } = await serializeFound(
    viewer,
    filter,
    found.toSorted((one, other) => rankOf(one) - rankOf(other)),
    format,
  )
  const fitting = rows.slice(0, countFitting(rows))
  const foundOldest = fitting.length === texts.length && texts.length < MAX_COMPARED
  const ends = { anchor: NEWEST, foundAnchor: false, foundOldest, foundNewest: true }
  return { found, rows: fitting, ...ends, compared: texts.length }
}

const findTexts = (db: LargeReads, ids: Ids): Promise<RankedText[]> =>
  db
    .selectFrom('messages')
    .select([
      'id',
      'topic',
      sql<string>`substr("renderedContent", 1, ${sql.lit(MAX_COMPARED_LENGTH)})`.as('renderedContent'),
    ])
    .where('id', 'in', ids)
    .execute()

/** Returns the number of rows from the start of the list that fit into one response, but at least one. */
function countFitting(rows: readonly string[]): number {
  let size = 0
  const end = rows.findIndex((row, at) => {
    size += Buffer.byteLength(row) + 1
    return at > 0 && size > MAX_LIST_BYTES
  })
  return end < 0 ? rows.length : end
}
