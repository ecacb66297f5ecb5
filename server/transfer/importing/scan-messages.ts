import { join } from 'node:path'
import { type ExportData, hasTable, ImportError, REALM_FILE, readRows, readTables } from './read-export.ts'
import {
  CHANNEL,
  GROUP,
  type MessageRow,
  messageRow,
  PERSON,
  type ReactionRow,
  reactionRow,
  recordRow,
  type SubmessageRow,
  submessageRow,
} from './shapes.ts'

export type MessageFile = {
  name: string
  messages: MessageRow[]
  records: { user_profile: number; message: number; flags_mask: number }[]
  reactions: ReactionRow[]
  /** Null if the file has no such table. */
  submessages: SubmessageRow[] | null
}

/** Yields the files one after another; only one of them is in memory at a time. */
export async function* readMessageFiles({
  folder,
  messageFiles,
}: Pick<ExportData, 'folder' | 'messageFiles'>): AsyncGenerator<MessageFile> {
  for (const name of messageFiles) {
    const tables = await readTables(join(folder, name), name)
    yield {
      name,
      messages: readRows(tables, 'zerver_message', messageRow),
      records: readRows(tables, 'zerver_usermessage', recordRow),
      reactions: readRows(tables, 'zerver_reaction', reactionRow),
      submessages: hasTable(tables, 'zerver_submessage') ? readRows(tables, 'zerver_submessage', submessageRow) : null,
    }
  }
}

/** The conversation of a message in the export, with the ids of the export. */
type ExportedConversation = { channelId: number } | { peopleIds: readonly number[] }

/** Finds the conversations of recipients. */
export type RecipientIndex = {
  /** Returns the channel of the recipient, or null if it is not a channel. */
  channelOf(recipientId: number): number | null
  /** Returns the conversation of a message from the sender; undefined if the recipient is missing. */
  conversationOf(recipientId: number, senderId: number): ExportedConversation | undefined
}

export function indexRecipients(data: ExportData): RecipientIndex {
  const { recipients, systemBots, users } = data
  const membersOf = groupMembers(data)
  // For people who did not agree to be exported, and for system bots, only the accounts contain the recipient.
  const withRecipients = [...systemBots, ...users.values()]
  const personOf = new Map(withRecipients.flatMap(({ id, recipient }) => (recipient ? [[recipient, id] as const] : [])))
  const channelById = new Map<number, number>()
  for (const { id, type, type_id } of recipients.values()) {
    if (type === CHANNEL) channelById.set(id, type_id)
    else if (type === PERSON) personOf.set(id, type_id)
    else if (type !== GROUP)
      throw new ImportError(`${REALM_FILE}, zerver_recipient: ${id} has the unknown type ${type}.`)
  }
  return {
    channelOf: (recipientId) => channelById.get(recipientId) ?? null,
    conversationOf(recipientId, senderId) {
      const channelId = channelById.get(recipientId)
      if (channelId !== undefined) return { channelId }
      const personId = personOf.get(recipientId)
      if (personId !== undefined) return { peopleIds: [...new Set([senderId, personId])] }
      const peopleIds = membersOf.get(recipientId)
      return peopleIds && { peopleIds }
    },
  }
}

/** Returns the participants of each group conversation by its recipient, from the subscriptions. */
function groupMembers({ recipients, subscriptions }: ExportData): Map<number, number[]> {
  const members = new Map<number, number[]>()
  for (const { id, type } of recipients.values()) if (type === GROUP) members.set(id, [])
  for (const { recipient, user_profile } of subscriptions) members.get(recipient)?.push(user_profile)
  return members
}

/** The order of all messages. `rankOf` takes the id of a message in the export. */
type MessageOrder = { size: number; rankOf(id: number): number | undefined }

export type MessageScan = {
  order: MessageOrder
  /** The participants of each conversation, by `conversationKey`. */
  conversations: ReadonlyMap<string, readonly number[]>
}

/** Returns the key of the conversation between these users. */
export const conversationKey = (peopleIds: readonly number[]): string =>
  peopleIds.toSorted((one, other) => one - other).join(',')

/** Reads every message once and refuses dangling references. It keeps only two numbers for each message. */
export async function scanMessages(
  data: ExportData,
  places: RecipientIndex,
  onProgress?: (messages: number) => void,
): Promise<MessageScan> {
  const known = new Set([...data.users.keys(), ...data.systemBots.map(({ id }) => id)])
  const sentAt = new Map<number, number>()
  const conversations = new Map<string, readonly number[]>()
  for await (const file of readMessageFiles(data)) {
    for (const { id, date_sent } of file.messages) {
      if (sentAt.has(id)) throw new ImportError(`${file.name}, zerver_message: two rows have the id ${id}.`)
      sentAt.set(id, date_sent)
    }
    for (const peopleIds of checkMessages(file, places, known)) conversations.set(conversationKey(peopleIds), peopleIds)
    checkRecords(file, places, known)
    const position = { name: file.name, known, isMessage: (id: number) => sentAt.has(id) }
    checkReferences(position, 'zerver_reaction', file.reactions, 'user_profile')
    checkReferences(position, 'zerver_submessage', file.submessages ?? [], 'sender')
    onProgress?.(sentAt.size)
  }
  const location = { name: 'realm.json', known, isMessage: (id: number) => sentAt.has(id) }
  checkReferences(location, 'zerver_reaction', data.reactions, 'user_profile')
  checkReferences(location, 'zerver_submessage', data.submessages, 'sender')
  return { order: orderOf(sentAt), conversations }
}

/** Refuses messages with dangling references. Returns the participants of the direct conversations. */
function checkMessages(
  { name, messages }: MessageFile,
  places: RecipientIndex,
  known: ReadonlySet<number>,
): (readonly number[])[] {
  const conversations: (readonly number[])[] = []
  for (const { id, sender, recipient } of messages) {
    const position = `${name}, zerver_message, id ${id}`
    if (!known.has(sender)) throw new ImportError(`${position}: its sender ${sender} does not exist.`)
    const conversation = places.conversationOf(recipient, sender)
    if (conversation === undefined) throw new ImportError(`${position}: there is no recipient ${recipient}.`)
    if ('channelId' in conversation) continue
    for (const person of conversation.peopleIds)
      if (!known.has(person)) throw new ImportError(`${position}: its recipient ${person} does not exist.`)
    if (!conversation.peopleIds.includes(sender))
      throw new ImportError(`${position}: its sender is not in the conversation ${recipient}.`)
    conversations.push(conversation.peopleIds)
  }
  return conversations
}

/** A record of a direct message permits reading it, so only participants may have one. */
function checkRecords(
  { name, messages, records }: MessageFile,
  places: RecipientIndex,
  known: ReadonlySet<number>,
): void {
  const ofFile = new Map(messages.map((message) => [message.id, message]))
  const seen = new Set<string>()
  for (const { user_profile: user, message: id } of records) {
    const position = `${name}, zerver_usermessage of message ${id}`
    const message = ofFile.get(id)
    if (message === undefined) throw new ImportError(`${position}: the message is missing in this file.`)
    if (!known.has(user)) throw new ImportError(`${position}: there is no account ${user}.`)
    const conversation = places.conversationOf(message.recipient, message.sender)
    if (conversation !== undefined && 'peopleIds' in conversation && !conversation.peopleIds.includes(user))
      throw new ImportError(`${position}: the account ${user} is not in the conversation.`)
    const key = `${user} ${id}`
    if (seen.has(key)) throw new ImportError(`${position}: the account ${user} has two rows.`)
    seen.add(key)
  }
}

type Where = { name: string; known: ReadonlySet<number>; isMessage(id: number): boolean }

function checkReferences<Person extends string>(
  { name, known, isMessage }: Where,
  table: string,
  rows: readonly ({ message: number } & Record<Person, number>)[],
  person: Person,
): void {
  for (const row of rows) {
    const position = `${name}, ${table} of message ${row.message}`
    if (!isMessage(row.message)) throw new ImportError(`${position}: the message is missing.`)
    if (!known.has(row[person])) throw new ImportError(`${position}: there is no account ${row[person]}.`)
  }
}

/** Returns the order of the messages by time. Filters by time rely on it, but some converters do not sort messages. */
function orderOf(sentAt: Map<number, number>): MessageOrder {
  const timeOf = (id: number) => sentAt.get(id) ?? 0
  const ids = [...sentAt.keys()].sort((one, other) => timeOf(one) - timeOf(other) || one - other)
  for (const [rank, id] of ids.entries()) sentAt.set(id, rank)
  return { size: ids.length, rankOf: (id) => sentAt.get(id) }
}
