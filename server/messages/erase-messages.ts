import { sql } from 'kysely'
import { findChannel } from '#channels/queries.ts'
import { escapeHtml } from '#lib/html.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Attachment, deleteAttachments, findAttachmentsByOwner } from './attachments.ts'
import { deleteMessages } from './editing/delete-messages.ts'
import { emitMessageUpdate, type UpdateEvent } from './editing/update-event.ts'
import { findMessageAudience } from './events.ts'
import { keepHeldFiles } from './legal-holds.ts'
import type { EditEntry } from './message.ts'
import { saveTokens } from './search/save-tokens.ts'
import { emitAttachmentsRemoved } from './uploads/claims.ts'

// Erases a user from messages, batch by batch: deletes their messages, their flags and their files, and replaces their
// name in mentions. Each function handles one batch in its transaction and may be repeated after a crash. The callers
// decide what is deleted and check permissions.

/** The maximum number of messages that one transaction deletes, examines or changes. */
const BATCH_SIZE = 200

/** The maximum number of flags that one transaction deletes. */
const MAX_RECORDS = 5000

/** The messages of a user to delete. Notes to themselves are always among them: nobody else can read them. */
export type ErasedMessages = { userId: number; isInChannels: boolean; isDirect: boolean }

/** Returns the user's messages that these choices delete. */
const ownMessages = (db: Db, { userId, isInChannels, isDirect }: ErasedMessages) =>
  db
    .selectFrom('messages')
    .where('senderId', '=', userId)
    .where((is) =>
      is.or([
        ...(isInChannels ? [is('channelId', 'is not', null)] : []),
        isDirect
          ? is('conversationId', 'is not', null)
          : is(
              'conversationId',
              'in',
              is.selectFrom('conversations').select('conversations.id').where('participantsKey', '=', String(userId)),
            ),
      ]),
    )

/** Returns the numbers of messages that a user sent to channels and directly, and of their files. */
export async function countMessagesOf(db: Db, userId: number) {
  const count = async (query: { execute(): Promise<{ count: number | string | bigint }[]> }) =>
    Number((await query.execute())[0]?.count ?? 0)
  const sent = db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('senderId', '=', userId)
  const files = db.selectFrom('attachments').select(({ fn }) => fn.countAll().as('count'))
  return {
    inChannels: await count(sent.where('channelId', 'is not', null)),
    direct: await count(sent.where('conversationId', 'is not', null)),
    files: await count(files.where('ownerId', '=', userId)),
  }
}

/** Deletes the oldest of the messages, which belong to one conversation. Returns false if there were none. */
export async function deleteMessagesOf(tx: Transaction, realmId: number, erased: ErasedMessages): Promise<boolean> {
  const columns = ['id', 'topic', 'channelId', 'conversationId'] as const
  const oldest = await ownMessages(tx.db, erased).select(columns).orderBy('id').limit(BATCH_SIZE).execute()
  const first = oldest[0]
  if (first === undefined) return false
  const ids = oldest
    .filter((one) => one.channelId === first.channelId && one.conversationId === first.conversationId)
    .map(({ id }) => id)
  const locked = await tx.db
    .selectFrom('messages')
    .select(['id', 'topic', 'channelId'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  // A message may have been moved before it was locked. The next batch deletes it.
  const messages = locked.filter(({ channelId }) => channelId === first.channelId)
  const channel = first.channelId === null ? null : await findChannel(tx.db, realmId, first.channelId)
  await deleteMessages(tx, realmId, messages, { channel })
  return true
}

/** Deletes some of the user's flags: which messages they received, read and starred. Returns true if there may be more. */
export async function deleteFlagsOf(tx: Transaction, userId: number): Promise<boolean> {
  const rows = await tx.db
    .selectFrom('userMessages')
    .select('messageId')
    .where('userId', '=', userId)
    .orderBy('messageId')
    .limit(MAX_RECORDS)
    .execute()
  const last = rows.at(-1)
  if (last === undefined) return false
  await tx.deleteFrom('userMessages').where('userId', '=', userId).where('messageId', '<=', last.messageId).execute()
  return rows.length === MAX_RECORDS
}

/** The number of deleted files, and those that no legal hold keeps: the caller deletes their bytes. */
type DeletedFiles = { count: number; unneeded: Attachment[] }

/** Deletes some of the user's files. */
export async function deleteFilesOf(tx: Transaction, realmId: number, userId: number): Promise<DeletedFiles> {
  const attachments = await findAttachmentsByOwner(tx.db, userId, BATCH_SIZE)
  if (attachments.length === 0) return { count: 0, unneeded: [] }
  const kept = await keepHeldFiles(tx, realmId, attachments)
  await deleteAttachments(
    tx,
    attachments.map(({ id }) => id),
  )
  await emitAttachmentsRemoved(tx, attachments)
  return { count: attachments.length, unneeded: attachments.filter(({ place }) => !kept.has(place)) }
}

/** A user whose name changes in mentions. `isUnique` is true if no other account has the former name. */
export type Renaming = { userId: number; from: string; to: string; isUnique: boolean }

/** Replaces the name in mentions of Markdown. A mention without the id may be of another account of the same name. */
function renameInMarkdown(text: string, { userId, from, to, isUnique }: Renaming): string {
  const name = RegExp.escape(from)
  const id = isUnique ? `(?:\\|${userId})?` : `\\|${userId}`
  return text.replaceAll(new RegExp(`(@_?\\*\\*)${name}${id}\\*\\*`, 'giu'), `$1${to}|${userId}**`)
}

/** Replaces the name in the mentions of HTML, and in those that are shown as they were typed. */
function renameInHtml(html: string, renaming: Renaming): string {
  const mention = new RegExp(`(<span class="user-mention[^"]*" data-user-id="${renaming.userId}">@?)[^<]*`, 'g')
  const renamed = html.replaceAll(mention, `$1${escapeHtml(renaming.to)}`)
  return renameInMarkdown(renamed, { ...renaming, from: escapeHtml(renaming.from) })
}

const contains = ({ dialect }: Db, column: string, text: string) =>
  dialect === 'sqlite'
    ? sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`
    : sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`

/**
 * Replaces the name in the messages after `lastId` and in their earlier versions. Returns the id of the last examined
 * message, or null if there are no more.
 */
export async function renameInMessages(
  tx: Transaction,
  realmId: number,
  renaming: Renaming,
  lastId: number,
): Promise<number | null> {
  const { db } = tx
  const ids = await db
    .selectFrom('messages')
    .select('id')
    .where('realmId', '=', realmId)
    .where('id', '>', lastId)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute()
  const last = ids.at(-1)
  if (last === undefined) return null
  const attribute = `data-user-id="${renaming.userId}"`
  const name = `**${renaming.from}`
  const mentioning = await db
    .selectFrom('messages')
    .select(['id', 'channelId', 'topic', 'content', 'renderedContent', 'editHistory'])
    .where('realmId', '=', realmId)
    .where('id', '>', lastId)
    .where('id', '<=', last.id)
    .where((is) =>
      is.or([
        contains(db, 'renderedContent', attribute),
        contains(db, 'content', name),
        contains(db, 'editHistory', JSON.stringify(attribute).slice(1, -1)),
        contains(db, 'editHistory', JSON.stringify(name).slice(1, -1)),
      ]),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const message of mentioning) await renameInMessage(tx, realmId, renaming, message)
  return last.id
}

type MentioningMessage = {
  id: number
  channelId: number | null
  topic: string
  content: string
  renderedContent: string
  editHistory: string | null
}

async function renameInMessage(
  tx: Transaction,
  realmId: number,
  renaming: Renaming,
  { id, channelId, topic, ...before }: MentioningMessage,
): Promise<void> {
  const content = renameInMarkdown(before.content, renaming)
  const renderedContent = renameInHtml(before.renderedContent, renaming)
  const editHistory = before.editHistory === null ? null : renameInHistory(before.editHistory, renaming)
  await tx.updateTable('messages').set({ content, renderedContent, editHistory }).where('id', '=', id).execute()
  if (content === before.content && renderedContent === before.renderedContent) return
  await saveTokens(tx, [{ id, topic, renderedContent }])
  const channel = channelId === null ? null : await findChannel(tx.db, realmId, channelId)
  const event: UpdateEvent = {
    type: 'update_message',
    user_id: null,
    edit_timestamp: Math.floor(tx.now),
    message_id: id,
    message_ids: [id],
    rendering_only: true,
    content,
    rendered_content: renderedContent,
  }
  emitMessageUpdate(tx, realmId, event, await findMessageAudience(tx, id, { channel }))
}

function renameInHistory(history: string, renaming: Renaming): string {
  const entries = JSON.parse(history) as EditEntry[]
  return JSON.stringify(
    entries.map(({ prev_content, prev_rendered_content, ...entry }) => ({
      ...entry,
      ...(prev_content !== undefined && { prev_content: renameInMarkdown(prev_content, renaming) }),
      ...(prev_rendered_content !== undefined && {
        prev_rendered_content: renameInHtml(prev_rendered_content, renaming),
      }),
    })),
  )
}

/** Replaces the name in the drafts, scheduled messages and snippets of the organization. */
export async function renameInUnsentTexts(tx: Transaction, realmId: number, renaming: Renaming): Promise<void> {
  const { db } = tx
  const people = db.selectFrom('users').select('users.id').where('realmId', '=', realmId)
  for (const table of ['drafts', 'savedSnippets'] as const) {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'content'])
      .where('userId', 'in', people)
      .where(contains(db, 'content', `**${renaming.from}`))
      .execute()
    for (const { id, content } of rows)
      await tx
        .updateTable(table)
        .set({ content: renameInMarkdown(content, renaming) })
        .where('id', '=', id)
        .execute()
  }
  const scheduled = await db
    .selectFrom('scheduledMessages')
    .select(['id', 'content', 'renderedContent'])
    .where('realmId', '=', realmId)
    .where((is) =>
      is.or([
        contains(db, 'content', `**${renaming.from}`),
        contains(db, 'renderedContent', `data-user-id="${renaming.userId}"`),
      ]),
    )
    .execute()
  for (const { id, content, renderedContent } of scheduled)
    await tx
      .updateTable('scheduledMessages')
      .set({
        content: renameInMarkdown(content, renaming),
        renderedContent: renameInHtml(renderedContent, renaming),
      })
      .where('id', '=', id)
      .execute()
}
