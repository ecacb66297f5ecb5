import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Expression, sql } from 'kysely'
import type { Viewer } from '#groups/viewer.ts'
import { escapeHtml } from '#lib/html.ts'
import { fitsIn, MAX_LIST_BYTES } from '#lib/protocol.ts'
import type { LargeReads } from '#storage/storage.ts'
import { withCurrentAddresses } from '../content.ts'
import type { Message, MessageFormat, MessageJson, UserMessage } from '../message.ts'
import { readNarrow } from '../narrow/filter.ts'
import { type AnchoredRange, findFirstUnread, findPage, type MatchedRows } from '../narrow/find-page.ts'
import { selectAmong, selectFound } from '../narrow/select-ids.ts'
import type { Filter, Term } from '../narrow.ts'
import { findUserMessages } from '../queries.ts'
import { highlightMatches } from '../search/find-matches.ts'
import type { Phrase } from '../search/phrases.ts'
import { viewMessages } from '../view-messages.ts'

/** A range of rows; `end` is exclusive. */
type RowRange = { start: number; end: number }

/**
 * Returns a range of rows around the anchor whose total size is at most `maxSize`. The row of the anchor and its
 * neighbor on each side are always included, so that a client that continues from its last row makes progress. Rows are
 * added on both sides in turn, so that the range has no gaps. `ids` must be in ascending order.
 */
export function fitRows(
  ids: readonly number[],
  sizes: readonly number[],
  { anchor, maxSize }: { anchor: number; maxSize: number },
): RowRange {
  const firstAfter = ids.findIndex((id) => id > anchor)
  const middle = firstAfter < 0 ? ids.length : firstAfter
  const oldestRequired = ids[middle - 1] === anchor ? middle - 2 : middle - 1
  let start = middle
  let end = middle
  let size = 0
  const fits = (at: number) => {
    const next = sizes[at]
    if (next === undefined) return false
    const isRequired = at >= oldestRequired && at <= middle
    if (!isRequired && size + next > maxSize) return false
    size += next
    return true
  }
  for (let [hasOlder, hasNewer] = [true, true]; hasOlder || hasNewer; ) {
    if (hasOlder) {
      hasOlder = fits(start - 1)
      if (hasOlder) start -= 1
    }
    if (hasNewer) {
      hasNewer = fits(end)
      if (hasNewer) end += 1
    }
  }
  return { start, end }
}

/** The approximate size of a reaction in a response, in bytes. */
const REACTION_SIZE = 100

/** Returns the messages with these ids in ascending order, each with its stored size in bytes. */
async function findMessageSizes(db: LargeReads, ids: Expression<number>): Promise<{ id: number; size: number }[]> {
  return db
    .selectFrom('messages')
    .select((is) => [
      'messages.id',
      // Neither database reads the text itself for `octet_length`.
      sql<number>`octet_length("content") + octet_length("renderedContent") + coalesce(octet_length("editHistory"), 0)
        + coalesce(${is
          .selectFrom('submessages')
          .select(sql<number>`sum(octet_length("submessages"."content"))`.as('size'))
          .whereRef('submessages.messageId', '=', 'messages.id')}, 0)
        + ${sql.lit(REACTION_SIZE)} * ${is
          .selectFrom('reactions')
          .select((all) => all.fn.countAll<number>().as('count'))
          .whereRef('reactions.messageId', '=', 'messages.id')}`.as('size'),
    ])
    .where('messages.id', 'in', ids)
    .orderBy('messages.id')
    .execute()
}

export type MatchJson = { match_content: string; match_subject: string }

/** Returns the content and topic of a message as HTML. The search matches are highlighted. */
export function toMatchJson(message: Message, phrases: readonly Phrase[]): MatchJson {
  return {
    match_content: highlightMatches(message.renderedContent, phrases),
    match_subject: highlightMatches(escapeHtml(message.topic), phrases),
  }
}

/** A range around an anchor. A null anchor stands for the first unread message of the narrow. */
export type MessageRange = { anchor: number | null; before: number; after: number; includesAnchor: boolean }

/** A message, with highlighted matches if the narrow is a search. */
type ListedMessageJson = MessageJson & Partial<MatchJson>

/** Messages as they are stored, and the JSON of each message for the actor. */
type ListedMessages = { found: readonly UserMessage[]; rows: readonly string[] }

export type MessagePage = ListedMessages & Omit<MatchedRows<never>, 'rows'> & { anchor: number }

/** The maximum number of messages that are read without checking their sizes first. */
const MAX_UNMEASURED = 20

/** The number of messages that are read and serialized between two turns of the event loop: about 5 ms of work. */
const BATCH = 250

/**
 * Returns the messages of a narrow around an anchor, as the actor sees them. Returns fewer than requested if they are
 * too large for one response.
 */
export async function listMessages(
  viewer: Viewer,
  { terms, range }: { terms: readonly Term[]; range: MessageRange },
  format: MessageFormat,
): Promise<MessagePage> {
  const filter = await readNarrow(viewer, terms)
  const anchor = range.anchor ?? (await findFirstUnread(viewer, filter))
  const page = await findMessagePage(viewer, filter, { ...range, anchor }, format)
  const sizes = page.rows.map((row) => Buffer.byteLength(row) + 1)
  const { start, end } = fitRows(page.ids, sizes, { anchor, maxSize: MAX_LIST_BYTES })
  return {
    anchor,
    found: page.found,
    rows: page.rows.slice(start, end),
    foundAnchor: page.foundAnchor,
    foundOldest: page.foundOldest && start === 0,
    foundNewest: page.foundNewest && end === page.rows.length,
  }
}

type SerializedMessages = ListedMessages & { ids: readonly number[] }

/** Like `findPage`, but limited to messages whose total size in the database fits into one response. */
async function findMessagePage(
  viewer: Viewer,
  filter: Filter,
  range: AnchoredRange,
  format: MessageFormat,
): Promise<SerializedMessages & Omit<MatchedRows<never>, 'rows'>> {
  const { db, actor, largeReads } = viewer
  if (range.before + range.after <= MAX_UNMEASURED) {
    const page = await findPage(db, filter, range, (ids) => findUserMessages(largeReads, actor.id, ids))
    return { ...page, found: page.rows, ...(await serializeFound(viewer, filter, page.rows, format)) }
  }
  const page = await findPage(db, filter, range, (ids) => findMessageSizes(largeReads, ids))
  const ids = page.rows.map(({ id }) => id)
  const sizes = page.rows.map(({ size }) => size)
  const { start, end } = fitRows(ids, sizes, { anchor: range.anchor, maxSize: MAX_LIST_BYTES })
  return {
    ...(await readInBatches(viewer, filter, ids.slice(start, end), { format, select: selectFound })),
    foundAnchor: page.foundAnchor,
    foundOldest: page.foundOldest && start === 0,
    foundNewest: page.foundNewest && end === ids.length,
  }
}

type Reading = { format: MessageFormat; select: typeof selectFound }

/** Reads and serializes the messages that `select` finds among the ids. Other requests are handled in between. */
async function readInBatches(
  viewer: Viewer,
  filter: Filter,
  ids: readonly number[],
  { format, select }: Reading,
): Promise<SerializedMessages> {
  const { db, actor, largeReads } = viewer
  const read = { found: [] as UserMessage[], ids: [] as number[], rows: [] as string[] }
  for (let start = 0; start < ids.length; start += BATCH) {
    if (start > 0) await turnOfItsOwn()
    const found = await findUserMessages(largeReads, actor.id, select(db, filter, ids.slice(start, start + BATCH)))
    const serialized = await serializeFound(viewer, filter, found, format)
    read.found.push(...found)
    read.ids.push(...serialized.ids)
    read.rows.push(...serialized.rows)
  }
  return read
}

let previousTurn: Promise<void> = Promise.resolve()

/**
 * Resolves in a later turn of the event loop, in which no other caller continues, so that other requests wait for one
 * batch at most, however many long lists are being read.
 */
function turnOfItsOwn(): Promise<void> {
  previousTurn = previousTurn.then(() => nextTurn())
  return previousTurn
}

/**
 * Returns the given messages that match the narrow and that the actor may read. The actor need not have received them.
 * If they are too large for one response, the last ones are left out.
 */
export async function listMessagesById(
  viewer: Viewer,
  { terms, messageIds }: { terms: readonly Term[]; messageIds: readonly number[] },
  format: MessageFormat,
): Promise<ListedMessages> {
  const filter = await readNarrow(viewer, terms)
  const fitting = await findFitting(viewer, filter, messageIds)
  const { found, ids, rows } = await readInBatches(viewer, filter, fitting, { format, select: selectAmong })
  const sizes = rows.map((row) => Buffer.byteLength(row) + 1)
  const { end } = fitRows(ids, sizes, { anchor: 0, maxSize: MAX_LIST_BYTES })
  return { found, rows: rows.slice(0, end) }
}

/** Returns the first ids of messages that match, as many as fit into one response. A few ids are returned unchecked. */
async function findFitting(
  { db, largeReads }: Viewer,
  filter: Filter,
  messageIds: readonly number[],
): Promise<readonly number[]> {
  if (messageIds.length <= MAX_UNMEASURED) return messageIds
  const measured = await findMessageSizes(largeReads, selectAmong(db, filter, messageIds))
  const ids = measured.map(({ id }) => id)
  const sizes = measured.map(({ size }) => size)
  const { end } = fitRows(ids, sizes, { anchor: 0, maxSize: MAX_LIST_BYTES })
  return ids.slice(0, end)
}

/** Serializes the messages. Leaves out messages whose channel has been deleted in the meantime. */
export async function serializeFound(
  viewer: Viewer,
  { hints }: Filter,
  stored: readonly UserMessage[],
  format: MessageFormat,
): Promise<{ ids: readonly number[]; rows: readonly string[] }> {
  const found = stored.map((message) => withCurrentAddresses(viewer.db, message))
  const views: ListedMessageJson[] = await viewMessages(viewer, found, format)
  const { phrases } = hints
  if (phrases !== undefined) {
    const matches = new Map(found.map((message) => [message.id, toMatchJson(message, phrases)]))
    for (const view of views) Object.assign(view, matches.get(view.id))
  }
  return { ids: views.map(({ id }) => id), rows: views.map(toRow) }
}

/**
 * Serializes the message. If it would leave no room for another message, its edit history is sent without the old HTML.
 */
function toRow(view: ListedMessageJson): string {
  const row = JSON.stringify(view)
  if (view.edit_history === undefined || fitsIn(row, MAX_LIST_BYTES / 2)) return row
  const edit_history = view.edit_history.map(({ prev_rendered_content, ...entry }) => entry)
  return JSON.stringify({ ...view, edit_history })
}
