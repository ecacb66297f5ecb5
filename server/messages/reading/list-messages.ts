import type { Actor } from '../../people/users/user.ts'
import { fitsIn, MAX_LIST_BYTES } from '../../platform/errors/response-limit.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { UserMessage } from '../message.ts'
import type { Filter } from '../narrow/clause.ts'
import { readNarrow } from '../narrow/filter.ts'
import { findFirstUnread } from '../narrow/find-first-unread.ts'
import { type AnchoredRange, findPage, type Page } from '../narrow/find-page.ts'
import { selectAmong } from '../narrow/select-ids.ts'
import type { Term } from '../narrow/term.ts'
import { cutRows } from './cut-page.ts'
import { findMessagesFor } from './fetch.ts'
import { type MatchJson, toMatchJson } from './match-json.ts'
import type { MessageFormat, MessageJson } from './message-json.ts'
import { findMessageSizes } from './message-sizes.ts'
import { viewMessages } from './view-messages.ts'

/** What surrounds an anchor; null stands for the first message of the narrow that is unread. */
export type MessageRange = { anchor: number | null; before: number; after: number; includesAnchor: boolean }

/** A message of a search, with what was searched for marked. */
type ListedMessageJson = MessageJson & Partial<MatchJson>

/** Messages as they are stored, and as JSON as the actor sees them, each in a text of its own. */
export type Listed = { found: readonly UserMessage[]; rows: readonly string[] }

export type MessagePage = Listed & Omit<Page<never>, 'rows'> & { anchor: number }

/** So many messages or fewer are read without measuring them first. */
const FEW = 20

/** The messages of a narrow around an anchor, as the actor sees them; fewer where they measure too much for one answer. */
export async function listMessages(
  db: Db,
  actor: Actor,
  { terms, range }: { terms: readonly Term[]; range: MessageRange },
  format: MessageFormat,
  now: number,
): Promise<MessagePage> {
  const filter = await readNarrow(db, actor, terms, now)
  const anchor = range.anchor ?? (await findFirstUnread(db, actor, filter, now))
  const page = await findMessagePage(db, actor, filter, { ...range, anchor })
  const listed = await viewFound(db, actor, filter, page.rows, format, now)
  const sizes = listed.rows.map((row) => Buffer.byteLength(row) + 1)
  const { start, end } = cutRows(listed.ids, sizes, { anchor, most: MAX_LIST_BYTES })
  return {
    anchor,
    found: page.rows,
    rows: listed.rows.slice(start, end),
    foundAnchor: page.foundAnchor,
    foundOldest: page.foundOldest && start === 0,
    foundNewest: page.foundNewest && end === listed.rows.length,
  }
}

/** As `findPage`, of as many messages as one answer may hold by what they measure in the database. */
async function findMessagePage(db: Db, actor: Actor, filter: Filter, range: AnchoredRange): Promise<Page<UserMessage>> {
  if (range.before + range.after <= FEW) return findPage(db, filter, range, (ids) => findMessagesFor(db, actor.id, ids))
  const page = await findPage(db, filter, range, (ids) => findMessageSizes(db, ids))
  const ids = page.rows.map(({ id }) => id)
  const sizes = page.rows.map(({ size }) => size)
  const { start, end } = cutRows(ids, sizes, { anchor: range.anchor, most: MAX_LIST_BYTES })
  return {
    rows: await findMessagesFor(db, actor.id, selectAmong(db, filter, ids.slice(start, end))),
    foundAnchor: page.foundAnchor,
    foundOldest: page.foundOldest && start === 0,
    foundNewest: page.foundNewest && end === ids.length,
  }
}

/**
 * Those of the messages that the actor may read and the narrow has; what they never received is among them. The last
 * ones are left out where they measure too much for one answer.
 */
export async function listMessagesById(
  db: Db,
  actor: Actor,
  { terms, messageIds }: { terms: readonly Term[]; messageIds: readonly number[] },
  format: MessageFormat,
  now: number,
): Promise<Listed> {
  const filter = await readNarrow(db, actor, terms, now)
  const found = await findAmong(db, actor, filter, messageIds)
  const { ids, rows } = await viewFound(db, actor, filter, found, format, now)
  const sizes = rows.map((row) => Buffer.byteLength(row) + 1)
  const { end } = cutRows(ids, sizes, { anchor: 0, most: MAX_LIST_BYTES })
  return { found, rows: rows.slice(0, end) }
}

async function findAmong(db: Db, actor: Actor, filter: Filter, messageIds: readonly number[]): Promise<UserMessage[]> {
  if (messageIds.length <= FEW) return findMessagesFor(db, actor.id, selectAmong(db, filter, messageIds))
  const measured = await findMessageSizes(db, selectAmong(db, filter, messageIds))
  const ids = measured.map(({ id }) => id)
  const sizes = measured.map(({ size }) => size)
  const { end } = cutRows(ids, sizes, { anchor: 0, most: MAX_LIST_BYTES })
  return findMessagesFor(db, actor.id, selectAmong(db, filter, ids.slice(0, end)))
}

/** The messages as JSON and their ids, without those whose channel was meanwhile taken away. */
async function viewFound(
  db: Db,
  actor: Actor,
  { hints }: Filter,
  found: readonly UserMessage[],
  format: MessageFormat,
  now: number,
): Promise<{ ids: readonly number[]; rows: readonly string[] }> {
  const views: ListedMessageJson[] = await viewMessages(db, actor, found, format, now)
  const { phrases } = hints
  if (phrases !== undefined) {
    const matches = new Map(
      found.map((message) => [message.id, toMatchJson(message, phrases, format.allowsEmptyTopic)]),
    )
    for (const view of views) Object.assign(view, matches.get(view.id))
  }
  return { ids: views.map(({ id }) => id), rows: views.map(toRow) }
}

/** The message as JSON. One that would leave no space for a neighbour has the HTML of its past in its history alone. */
function toRow(view: ListedMessageJson): string {
  const row = JSON.stringify(view)
  if (view.edit_history === undefined || fitsIn(row, MAX_LIST_BYTES / 2)) return row
  const edit_history = view.edit_history.map(({ prev_rendered_content, ...entry }) => entry)
  return JSON.stringify({ ...view, edit_history })
}
