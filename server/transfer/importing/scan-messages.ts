import { ImportError } from './import-error.ts'
import { type MessageFile, readMessageFiles } from './message-files.ts'
import type { ExportData } from './read-export.ts'
import type { RecipientIndex } from './recipient-index.ts'

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
