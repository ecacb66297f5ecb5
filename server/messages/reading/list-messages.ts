import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Viewer } from '#groups/viewer.ts'
import { fitsIn, MAX_LIST_BYTES } from '#lib/errors/response-limit.ts'
import type { Db } from '#storage/storage.ts'
import type { UserMessage } from '../message.ts'
import type { Filter } from '../narrow/clause.ts'
import { readNarrow } from '../narrow/filter.ts'
import { findFirstUnread } from '../narrow/find-first-unread.ts'
import { type AnchoredRange, findPage, type MatchedRows } from '../narrow/find-page.ts'
import { selectAmong, selectFound } from '../narrow/select-ids.ts'
import type { Term } from '../narrow/term.ts'
import { fitRows } from './fit-rows.ts'
import { type MatchJson, toMatchJson } from './match-json.ts'
import type { MessageFormat, MessageJson } from './message-json.ts'
import { findMessageSizes } from './message-sizes.ts'
import { findUserMessages } from './queries.ts'
import { viewMessages } from './view-messages.ts'

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
  const { db, actor } = viewer
  if (range.before + range.after <= MAX_UNMEASURED) {
    const page = await findPage(db, filter, range, (ids) => findUserMessages(db, actor.id, ids))
    return { ...page, found: page.rows, ...(await serializeFound(viewer, filter, page.rows, format)) }
  }
  const page = await findPage(db, filter, range, (ids) => findMessageSizes(db, ids))
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
  const { db, actor } = viewer
  const read = { found: [] as UserMessage[], ids: [] as number[], rows: [] as string[] }
  for (let start = 0; start < ids.length; start += BATCH) {
    if (start > 0) await turnOfItsOwn()
    const found = await findUserMessages(db, actor.id, select(db, filter, ids.slice(start, start + BATCH)))
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
  const fitting = await findFitting(viewer.db, filter, messageIds)
  const { found, ids, rows } = await readInBatches(viewer, filter, fitting, { format, select: selectAmong })
  const sizes = rows.map((row) => Buffer.byteLength(row) + 1)
  const { end } = fitRows(ids, sizes, { anchor: 0, maxSize: MAX_LIST_BYTES })
  return { found, rows: rows.slice(0, end) }
}

/** Returns the first ids of messages that match, as many as fit into one response. A few ids are returned unchecked. */
async function findFitting(db: Db, filter: Filter, messageIds: readonly number[]): Promise<readonly number[]> {
  if (messageIds.length <= MAX_UNMEASURED) return messageIds
  const measured = await findMessageSizes(db, selectAmong(db, filter, messageIds))
  const ids = measured.map(({ id }) => id)
  const sizes = measured.map(({ size }) => size)
  const { end } = fitRows(ids, sizes, { anchor: 0, maxSize: MAX_LIST_BYTES })
  return ids.slice(0, end)
}

/** Serializes the messages. Leaves out messages whose channel has been deleted in the meantime. */
export async function serializeFound(
  viewer: Viewer,
  { hints }: Filter,
  found: readonly UserMessage[],
  format: MessageFormat,
): Promise<{ ids: readonly number[]; rows: readonly string[] }> {
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
