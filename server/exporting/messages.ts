import { Flag } from '../messages/flags/flag.ts'
import type { Db } from '../storage/storage.ts'
import { countMessages, countRecords, findBelongings, findMessagesAfter, type StoredMessage } from './queries.ts'
import type { Recipients } from './recipients.ts'
import { type MessageRow, type RecordRow, writeJson } from './tables.ts'

/** How much stands in one file: readers of the format hold each whole. */
const [MOST_MESSAGES, MOST_RECORDS] = [1000, 200_000]

/** What every client shows; how a message was brought to where it is, is not told. */
const KEPT_FLAGS = Object.values(Flag).reduce((all, flag) => all | flag, 0)

/** The format marks the records of direct messages. */
const IS_PRIVATE = 1 << 11

type Parts = {
  folder: string
  realmId: number
  recipients: Recipients
  onProgress?: ((done: number, all: number) => void) | undefined
}

/** Writes all messages with who received them, file by file; returns how many there are, and with which clients they were sent. */
export async function exportMessages(
  db: Db,
  { folder, realmId, recipients, onProgress }: Parts,
): Promise<{ count: number; reactions: number; clients: { id: number; name: string }[] }> {
  const clientIds = new Map<string, number>()
  const clientId = (name: string) => {
    const id = clientIds.get(name) ?? clientIds.size + 1
    clientIds.set(name, id)
    return id
  }
  const all = await countMessages(db, realmId)
  let [count, reactions, files] = [0, 0, 0]
  for await (const messages of portions(db, realmId)) {
    files += 1
    const belongings = await findBelongings(
      db,
      messages.map(({ id }) => id),
    )
    await writeJson(folder, `messages-${String(files).padStart(6, '0')}.json`, {
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

/** The messages of each file: fewer where many people received them. */
async function* portions(db: Db, realmId: number): AsyncGenerator<StoredMessage[]> {
  let lastId = 0
  for (;;) {
    const next = await findMessagesAfter(db, realmId, lastId, MOST_MESSAGES)
    if (next.length === 0) return
    const counts = await countRecords(
      db,
      next.map(({ id }) => id),
    )
    let records = 0
    const fitting = next.findIndex(({ id }) => {
      records += counts.get(id) ?? 0
      return records > MOST_RECORDS
    })
    const portion = fitting === -1 ? next : next.slice(0, Math.max(fitting, 1))
    yield portion
    lastId = portion.at(-1)?.id ?? lastId
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
    last_edit_time: message.lastEditedAt ?? message.lastMovedAt,
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

const toReactionRow = ({
  id,
  userId,
  messageId,
  emojiName,
  emojiCode,
  reactionType,
}: Belongings['reactions'][number]) => ({
  id,
  user_profile: userId,
  message: messageId,
  emoji_name: emojiName,
  emoji_code: emojiCode,
  reaction_type: reactionType,
})

const toSubmessageRow = ({ id, messageId, senderId, msgType, content }: Belongings['submessages'][number]) => ({
  id,
  message: messageId,
  sender: senderId,
  msg_type: msgType,
  content,
})
