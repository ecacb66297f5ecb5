import { CompiledQuery } from 'kysely'
import { topicKey } from '#channels/topic.ts'
import { pathIdsIn } from '#markdown/previews.ts'
import { RENDERER_VERSION } from '#markdown/render.ts'
import { saveClaims } from '#messages/attachments.ts'
import { Flag } from '#messages/flags.ts'
import { messageFeaturesOf } from '#messages/message.ts'
import { ensureDirectConversation } from '#messages/queries.ts'
import { containerOf, type MessageContainer } from '#messages/unread.ts'
import { widgetContent } from '#messages/widgets.ts'
import type { User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { type IdSeries, nextMessageIds } from '#storage/counters.ts'
import { insertRows, insertRowsInTurn, toStorableText } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportedChannels } from './channels.ts'
import { importHistory, requireTopicOf } from './edit-history.ts'
import { filesByMessage, type ImportedFile, type ImportedFiles } from './files.ts'
import type { ImportReport } from './import-report.ts'
import { openMessageRenderer } from './message-renderer.ts'
import type { ExportData } from './read-export.ts'
import { rewriteContent } from './rewrite-content.ts'
import {
  conversationKey,
  type MessageFile,
  type MessageScan,
  type RecipientIndex,
  readMessageFiles,
} from './scan-messages.ts'
import { KEPT_FLAGS, type MessageRow, type SubmessageRow } from './shapes.ts'
import type { ImportedUsers } from './users.ts'

/** Reserves `count` message ids, higher than all allocated ones. */
async function reserveMessageIds(tx: Transaction, count: number): Promise<IdSeries> {
  const series = await nextMessageIds(tx, count)
  if (series !== undefined) return series
  const { rows } = await tx.db.executeQuery<{ seq: number }>(
    CompiledQuery.raw(`select "seq" from sqlite_sequence where "name" = 'messages'`),
  )
  return { first: (rows[0]?.seq ?? 0) + 1, step: 1 }
}

type Mark = MessageContainer & { userId: number; messageId: number }

/** Finds, for each user and conversation, the id below which all messages are read (docs/decisions/0007). */
function openReadMarks() {
  const unread = new Map<string, Mark>()
  const read = new Map<string, Mark>()
  return {
    note(
      { userId, messageId, flags }: { userId: number; messageId: number; flags: number },
      spot: MessageContainer,
    ): void {
      const key = `${userId} ${spot.channelId} ${spot.conversationId}`
      const isRead = (flags & Flag.read) !== 0
      const mark = { ...spot, userId, messageId: isRead ? messageId + 1 : messageId }
      const [marks, isNearer] = isRead
        ? [read, (other: Mark) => mark.messageId > other.messageId]
        : [unread, (other: Mark) => mark.messageId < other.messageId]
      const other = marks.get(key)
      if (other === undefined || isNearer(other)) marks.set(key, mark)
    },
    rows(): Mark[] {
      return [...new Map([...read, ...unread]).values()]
    },
  }
}

type Parts = {
  realm: Realm
  accounts: ImportedUsers
  channels: ImportedChannels
  files: ImportedFiles
  places: RecipientIndex
  survey: MessageScan
  report: ImportReport
  oldUrl: string | undefined
  onProgress?: ((done: number, all: number) => void) | undefined
}

/** Returns the new id of a message of the export. */
export type NewMessageId = (oldId: number) => number

/** Imports the messages and their records, file by file. The messages get new ids, ordered by time. */
export async function importMessages(tx: Transaction, data: ExportData, parts: Parts): Promise<NewMessageId> {
  const { realm, accounts, channels, files, report, onProgress } = parts
  const { order } = parts.survey
  const { first, step } = await reserveMessageIds(tx, order.size)
  const find = (oldId: number) => {
    const rank = order.rankOf(oldId)
    return rank === undefined ? undefined : first + rank * step
  }
  const newId: NewMessageId = (oldId) => {
    const id = find(oldId)
    if (id === undefined) throw new Error(`The message ${oldId} was not seen before`)
    return id
  }
  const renderer = await openMessageRenderer(tx, { realm, channels, files, report })
  const claimed = filesByMessage(files)
  const marks = openReadMarks()
  const given = data.submessages.length === 0 ? null : Map.groupBy(data.submessages, ({ message }) => message)
  const conversations = await importConversations(tx, parts)
  const names = { ...newNames(tx, parts), messageId: find }
  const rewrite = (text: string) => rewriteContent(toStorableText(text), names)

  async function toRow(message: MessageRow, fileName: string) {
    const sender = accounts.get(message.sender)!
    const mayLink = (file: ImportedFile) => file.messageIds.has(message.id) || file.attachment.ownerId === sender.id
    const render = (text: string) => renderer.render(text, sender, mayLink)
    const content = rewrite(message.content)
    const html = await render(content)
    const named = [...pathIdsIn(html)].flatMap((path) => files.byPath.get(path) ?? []).filter(mayLink)
    const linked = new Set([...named, ...(claimed.get(message.id) ?? [])])
    const ref = conversations.refOf(message)
    const topic = ref.channelId === null ? '' : requireTopicOf(message.subject ?? message.topic_name ?? '')
    const history = await importHistory(message, { ...names, fileName, report, rewrite, render })
    const row = {
      id: newId(message.id),
      realmId: realm.id,
      senderId: sender.id,
      ...ref,
      topic,
      topicKey: topicKey(topic),
      content,
      renderedContent: html,
      renderedVersion: RENDERER_VERSION,
      client: toStorableText(data.clients.get(message.sending_client ?? 0)?.name ?? 'import'),
      sentAt: message.date_sent,
      ...history,
      holdings: messageFeaturesOf(html, linked.size > 0),
    }
    return { row, linked, sender }
  }

  async function importFile(file: MessageFile): Promise<void> {
    const made = []
    for (const message of file.messages) made.push(await toRow(message, file.name))
    const rows = made.map(({ row }) => row)
    // This is awaited, so that pending rows do not fill the memory.
    await insertRowsInTurn(tx, 'messages', rows)
    for (const { row, linked } of made) {
      const ids = [...linked].map(({ attachment }) => attachment.id)
      await saveClaims(tx, row.id, ids)
    }
    const containers = new Map(made.map(({ row }) => [row.id, containerOf(row)]))
    const records = recordsOf(file, made, parts, newId)
    await insertRowsInTurn(tx, 'userMessages', records)
    for (const record of records) marks.note(record, containers.get(record.messageId)!)
    importSubmessages(tx, file, made, { accounts, newId, given, report })
  }

  let done = 0
  for await (const file of readMessageFiles(data)) {
    await importFile(file)
    done += file.messages.length
    onProgress?.(done, order.size)
  }
  await insertRowsInTurn(tx, 'readMarks', marks.rows())
  return newId
}

/** Returns the new ids and paths of the objects that messages refer to. */
function newNames(tx: Transaction, { realm, accounts, channels, files, oldUrl }: Parts) {
  const home = realmAddress(realm.subdomain, tx.db.settings.EXTERNAL_URL).url
  return {
    moved: oldUrl === undefined ? null : { from: oldUrl, to: home },
    userId: (id: number) => accounts.get(id)?.id,
    channelId: (id: number) => channels.get(id)?.id,
    uploadPath: (path: string) => {
      const attachment = files.byOldPath.get(path)?.attachment
      return attachment && `${attachment.place}/${attachment.fileName}`
    },
  }
}

/**
 * Returns the records of the messages. System bots get no records. The sender of a direct message always gets one,
 * although some converters omit it.
 */
function recordsOf({ records }: MessageFile, made: readonly Made[], parts: Parts, newId: NewMessageId) {
  const { accounts, realm } = parts
  const found = records.flatMap(({ user_profile, message, flags_mask }) => {
    const user = accounts.get(user_profile)
    if (user?.realmId !== realm.id) return []
    const flags = flags_mask & KEPT_FLAGS
    const mentioned = flags & Flag.group_mentioned ? Flag.mentioned : 0
    return [{ userId: user.id, messageId: newId(message), flags: flags | mentioned }]
  })
  const direct = made.filter(({ row, sender }) => row.conversationId !== null && sender.realmId === realm.id)
  const ids = new Set(direct.map(({ row }) => row.id))
  const received = new Set(
    found.filter(({ messageId }) => ids.has(messageId)).map(({ userId, messageId }) => `${userId} ${messageId}`),
  )
  const unsaid = direct.filter(({ row }) => !received.has(`${row.senderId} ${row.id}`))
  return [...found, ...unsaid.map(({ row }) => ({ userId: row.senderId, messageId: row.id, flags: Flag.read }))]
}

type Made = {
  row: { id: number; senderId: number; content: string; conversationId: number | null }
  sender: User
}

type SubmessageParts = {
  accounts: ImportedUsers
  newId: NewMessageId
  /** The submessages of realm.json by the id of their message; null if realm.json has none. */
  given: ReadonlyMap<number, readonly SubmessageRow[]> | null
  report: ImportReport
}

/** If the export has no submessages, polls and task lists start again from their messages. */
function importSubmessages(
  tx: Transaction,
  file: MessageFile,
  made: readonly Made[],
  { accounts, newId, given, report }: SubmessageParts,
): void {
  const listed = file.submessages ?? (given && file.messages.flatMap(({ id }) => given.get(id) ?? []))
  if (listed !== null) {
    const rows = listed.map(({ message, sender, msg_type, content }) => ({
      messageId: newId(message),
      senderId: accounts.get(sender)!.id,
      msgType: msg_type,
      content: toStorableText(content),
    }))
    insertRows(tx, 'submessages', rows)
    return
  }
  const begun = made.flatMap(({ row }) => {
    const content = widgetContent(row.content)
    return content === null ? [] : [{ messageId: row.id, senderId: row.senderId, msgType: 'widget', content }]
  })
  insertRows(tx, 'submessages', begun)
  report.add('votes in polls and changes to task lists', 'the export does not have them', begun.length)
}

type Conversations = {
  refOf(message: MessageRow): { channelId: number; conversationId: null } | { channelId: null; conversationId: number }
}

/** Creates all conversations before the first message is rendered, because their participants can see each other. */
async function importConversations(tx: Transaction, parts: Parts): Promise<Conversations> {
  const { accounts, channels, places, realm, survey } = parts
  const begun = new Map<string, number>()
  for (const [key, peopleIds] of survey.conversations) {
    const people = [...new Set(peopleIds.map((id) => accounts.get(id)!.id))]
    begun.set(key, (await ensureDirectConversation(tx, realm.id, people)).id)
  }
  return {
    refOf({ recipient, sender }) {
      const conversation = places.conversationOf(recipient, sender)!
      if ('channelId' in conversation)
        return { channelId: channels.get(conversation.channelId)!.id, conversationId: null }
      return { channelId: null, conversationId: begun.get(conversationKey(conversation.peopleIds))! }
    },
  }
}
