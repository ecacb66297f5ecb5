import type { Condition } from '#messages/narrow.ts'
import type { Db } from '#storage/storage.ts'
import { KEPT_FLAGS } from '../importing/shapes.ts'
import {
  countMessages,
  countRecords,
  findBelongings,
  findMessagesAfter,
  type MessageRange,
  type StoredMessage,
} from './queries.ts'
import type { ExportedRecipients } from './recipients.ts'
import type { Selection } from './selection.ts'
import { type MessageRow, type RecordRow, toEmojiColumns, writeTables } from './tables.ts'

/**
 * The maximum numbers of messages, of records and of UTF-16 units of text in one file. Readers of the format load each
 * file as a whole.
 */
const [MAX_MESSAGES, MAX_RECORDS, MAX_LENGTH] = [1000, 200_000, 64 * 1024 * 1024]

/** The maximum number of messages that one query reads. */
const PAGE = 100

/** The flag by which the format marks records of direct messages. */
const IS_PRIVATE = 1 << 11

type Parts = {
  folder: string
  realmId: number
  selection: Selection
  recipients: ExportedRecipients
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, all: number) => void) | undefined
}

/**
 * Writes all messages and their records, file by file. Returns the numbers of messages and reactions, and the clients
 * that sent the messages.
 */
export async function exportMessages(
  db: Db,
  { folder, realmId, selection, recipients, signal, onProgress }: Parts,
): Promise<{ count: number; reactions: number; clients: { id: number; name: string }[] }> {
  const clientIds = new Map<string, number>()
  const clientId = (name: string) => {
    const id = clientIds.get(name) ?? clientIds.size + 1
    clientIds.set(name, id)
    return id
  }
  const range = { realmId, isExported: selection.messages }
  const all = await countMessages(db, range)
  let [count, reactions, files] = [0, 0, 0]
  for await (const messages of portions(db, range, selection.records)) {
    signal?.throwIfAborted()
    files += 1
    const belongings = await findBelongings(
      db,
      messages.map(({ id }) => id),
      selection.records,
    )
    await writeTables(folder, `messages-${String(files).padStart(6, '0')}.json`, {
      zerver_message: messages.map((message) =>
        toMessageRow(message, recipients.of(message), clientId(message.client)),
      ),
      zerver_usermessage: recordRows(messages, belongings.records),
      zerver_reaction: belongings.reactions.map(toReactionRow),
      zerver_submessage: belongings.submessages.map(toSubmessageRow),
    })
    count += messages.length
    reactions += belongings.reactions.length
    onProgress?.(count, all)
  }
  return { count, reactions, clients: [...clientIds].map(([name, id]) => ({ id, name })) }
}

/**
 * Yields the messages of one file after another. A file contains fewer messages if they are long or have many records.
 */
async function* portions(db: Db, range: MessageRange, records: Condition): AsyncGenerator<StoredMessage[]> {
  let portion: StoredMessage[] = []
  let [received, length] = [0, 0]
  for await (const { message, count } of messagesInOrder(db, range, records)) {
    received += count
    length += lengthOf(message)
    if (portion.length > 0 && (portion.length === MAX_MESSAGES || received > MAX_RECORDS || length > MAX_LENGTH)) {
      yield portion
      portion = []
      received = count
      length = lengthOf(message)
    }
    portion.push(message)
  }
  if (portion.length > 0) yield portion
}

const lengthOf = ({ content, renderedContent, editHistory }: StoredMessage) =>
  content.length + renderedContent.length + (editHistory?.length ?? 0)

/** Yields each message with the number of its exported records. */
async function* messagesInOrder(db: Db, range: MessageRange, records: Condition) {
  for (let lastId = 0; ; ) {
    const page = await findMessagesAfter(db, range, lastId, PAGE)
    const ids = page.map(({ id }) => id)
    const counts = await countRecords(db, ids, records)
    for (const message of page) yield { message, count: counts.get(message.id) ?? 0 }
    if (page.length < PAGE) return
    lastId = ids.at(-1) ?? lastId
  }
}

function toMessageRow(message: StoredMessage, recipient: number, client: number): MessageRow {
  return {
    id: message.id,
    sender: message.senderId,
    recipient,
    subject: message.topic,
    content: message.content,
    rendered_content: message.renderedContent,
    rendered_content_version: message.renderedVersion,
    date_sent: message.sentAt,
    sending_client: client,
    last_edit_time: message.lastEditedAt,
    edit_history: message.editHistory,
    is_channel_message: message.channelId !== null,
  }
}

type Belongings = Awaited<ReturnType<typeof findBelongings>>

function recordRows(messages: readonly StoredMessage[], records: Belongings['records']): RecordRow[] {
  const direct = new Set(messages.flatMap(({ id, conversationId }) => (conversationId === null ? [] : [id])))
  return records.map(({ userId, messageId, flags }) => ({
    user_profile: userId,
    message: messageId,
    flags_mask: (flags & KEPT_FLAGS) | (direct.has(messageId) ? IS_PRIVATE : 0),
  }))
}

const toReactionRow = ({ id, userId, messageId, ...emoji }: Belongings['reactions'][number]) => ({
  id,
  user_profile: userId,
  message: messageId,
  ...toEmojiColumns(emoji),
})

const toSubmessageRow = ({ id, messageId, senderId, msgType, content }: Belongings['submessages'][number]) => ({
  id,
  message: messageId,
  sender: senderId,
  msg_type: msgType,
  content,
})
