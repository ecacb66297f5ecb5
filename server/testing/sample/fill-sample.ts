import { updateFlags } from '#messages/flags/update-flags.ts'
import { addReaction } from '#messages/reactions/change-reactions.ts'
import { type MessageRequest, prepareMessage } from '#messages/sending/prepare-message.ts'
import { saveMessage } from '#messages/sending/send-message.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import type { TestWorld } from '../test-world.ts'
import { buildConversations } from './build-conversations.ts'
import { companyConversations } from './company-conversations.ts'
import { directConversations } from './direct-conversations.ts'
import { engineeringConversations } from './engineering-conversations.ts'
import type { SampleConversation, SampleMessage, SampleSender } from './sample-conversation.ts'

/** Everyone has read the messages that are older than this, in hours. */
const UNREAD_HOURS = 12

/** The pauses between two messages of a conversation, in seconds. They repeat in this order. */
const PAUSES = [95, 40, 210, 65, 320] as const

type SpokenLine = { sentAt: number; talk: SampleConversation; line: SampleMessage }

/** Sends all sample messages. Their times are spread over the last weeks. */
export async function fillSample(tx: Transaction, { realm, users }: TestWorld): Promise<void> {
  const sendersByName = new Map([...users].map(([name, user]) => [name as SampleSender, { ...user, realm }]))
  const readIds: number[] = []
  for (const sent of inOrder(tx.now)) {
    const then = { ...tx, now: sent.sentAt }
    const sender = speakerOf(sendersByName, sent.line[0])
    const prepared = await prepareMessage(tx.db, sender, requestOf(sent, sendersByName), then.now)
    const { id } = await saveMessage(then, prepared)
    await react(then, sendersByName, id, sent.line)
    if (sent.sentAt < tx.now - UNREAD_HOURS * 3600) readIds.push(id)
  }
  for (const reader of sendersByName.values()) await readAll(tx, reader, readIds)
}

function inOrder(now: number): SpokenLine[] {
  const conversations = [
    ...companyConversations,
    ...engineeringConversations,
    ...directConversations,
    ...buildConversations,
  ]
  return conversations
    .flatMap((conversation) => sentMessage(conversation, now))
    .toSorted((one, other) => one.sentAt - other.sentAt)
}

function sentMessage(conversation: SampleConversation, now: number): SpokenLine[] {
  let sentAt = Math.floor(now) - conversation.hoursAgo * 3600
  return conversation.lines.map((line, at) => {
    sentAt += PAUSES[at % PAUSES.length] as number
    return { sentAt, talk: conversation, line }
  })
}

function speakerOf(sendersByName: ReadonlyMap<SampleSender, Actor>, name: SampleSender): Actor {
  const actor = sendersByName.get(name)
  if (actor === undefined) throw new Error(`The sample has no one named ${name}`)
  return actor
}

function requestOf(
  { talk: conversation, line: [, content] }: SpokenLine,
  sendersByName: ReadonlyMap<SampleSender, Actor>,
): MessageRequest {
  const to =
    'people' in conversation
      ? { people: conversation.people.map((name) => speakerOf(sendersByName, name).id) }
      : { channel: conversation.channel, topic: conversation.topic }
  return { to, content, client: 'website', isReadBySender: true, localEcho: null }
}

async function react(
  tx: Transaction,
  sendersByName: ReadonlyMap<SampleSender, Actor>,
  messageId: number,
  [, , reactions = {}]: SampleMessage,
): Promise<void> {
  for (const [name, speakers] of Object.entries(reactions))
    for (const sender of speakers) await addReaction(tx, speakerOf(sendersByName, sender), messageId, { name })
}

async function readAll(tx: Transaction, reader: Actor, messageIds: readonly number[]): Promise<void> {
  const received = await tx.db
    .selectFrom('userMessages')
    .select('messageId')
    .where('userId', '=', reader.id)
    .where('messageId', 'in', messageIds)
    .execute()
  const ids = received.map((row) => row.messageId)
  if (ids.length > 0) await updateFlags(tx, reader, { messageIds: ids, op: 'add', flag: 'read' })
}
