import type { Db } from '../../storage/storage.ts'
import type { Actor } from '../../users/user.ts'
import type { FoundMessage } from '../message.ts'
import type { Filter } from '../narrow/clause.ts'
import { readNarrow } from '../narrow/filter.ts'
import { findPage, type Page } from '../narrow/find-page.ts'
import { findFirstUnread } from '../narrow/first-unread.ts'
import { selectAmong } from '../narrow/select-ids.ts'
import type { Term } from '../narrow/term.ts'
import { findMessagesFor } from './fetch.ts'
import { type MatchJson, toMatchJson } from './match-json.ts'
import type { MessageForm, MessageJson } from './message-json.ts'
import { viewMessages } from './view-messages.ts'

/** What surrounds an anchor; null stands for the first message of the narrow that is unread. */
export type MessageRange = { anchor: number | null; before: number; after: number; includesAnchor: boolean }

/** A message of a search, with what was searched for marked. */
export type ListedMessageJson = MessageJson & Partial<MatchJson>

/** Messages as they are stored, and as the actor sees them. */
export type Listed = { found: readonly FoundMessage[]; rows: ListedMessageJson[] }

export type MessagePage = Page<ListedMessageJson> & Listed & { anchor: number }

/** The messages of a narrow around an anchor, as the actor sees them. */
export async function listMessages(
  db: Db,
  actor: Actor,
  { terms, range }: { terms: readonly Term[]; range: MessageRange },
  form: MessageForm,
  now: number,
): Promise<MessagePage> {
  const filter = await readNarrow(db, actor, terms, now)
  const anchor = range.anchor ?? (await findFirstUnread(db, actor, filter, now))
  const page = await findPage(db, filter, { ...range, anchor }, (ids) => findMessagesFor(db, actor.id, ids))
  return { ...page, anchor, ...(await viewFound(db, actor, filter, page.rows, form, now)) }
}

/** Those of the messages that the actor may read and the narrow has; what they never received is among them. */
export async function listMessagesById(
  db: Db,
  actor: Actor,
  { terms, messageIds }: { terms: readonly Term[]; messageIds: readonly number[] },
  form: MessageForm,
  now: number,
): Promise<Listed> {
  const filter = await readNarrow(db, actor, terms, now)
  const found = await findMessagesFor(db, actor.id, selectAmong(db, filter, messageIds))
  return viewFound(db, actor, filter, found, form, now)
}

async function viewFound(
  db: Db,
  actor: Actor,
  { aim }: Filter,
  found: readonly FoundMessage[],
  form: MessageForm,
  now: number,
): Promise<Listed> {
  const rows: ListedMessageJson[] = await viewMessages(db, actor, found, form, now)
  const { phrases } = aim
  if (phrases === undefined) return { found, rows }
  const matches = new Map(found.map((message) => [message.id, toMatchJson(message, phrases, form.allowsEmptyTopic)]))
  for (const row of rows) Object.assign(row, matches.get(row.id))
  return { found, rows }
}
