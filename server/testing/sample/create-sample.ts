import type { Services } from '#http/endpoint.ts'
import { type MessageRequest, prepareMessage } from '#messages/prepare-message.ts'
import { addReaction } from '#messages/reactions.ts'
import { sendMessage } from '#messages/send-message.ts'
import { updateFlags } from '#messages/update-flags.ts'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import type { Actor } from '#people/users.ts'
import { reportPresence } from '#presence/change-presence.ts'
import type { Transaction } from '#storage/storage.ts'
import { createWorld, type Preset, type SharedPassword, type TestWorld } from '../calls/test-world.ts'
import { companyConversations, directConversations } from './company-conversations.ts'
import { buildConversations, engineeringConversations } from './engineering-conversations.ts'
import {
  newcomers,
  personNames,
  type SampleConversation,
  type SampleMessage,
  type SampleSender,
  sampleChannels,
} from './sample-people.ts'

/** Everyone has read the messages that are older than this, in hours. */
const UNREAD_HOURS = 12

/** The pauses between two messages of a conversation, in seconds. They repeat in this order. */
const PAUSES = [95, 40, 210, 65, 320] as const

type SpokenLine = { sentAt: number; talk: SampleConversation; line: SampleMessage }

/** Sends all sample messages. Their times are spread over the last weeks. */
async function fillSample(tx: Transaction, { realm, users }: TestWorld): Promise<void> {
  const sendersByName = new Map([...users].map(([name, user]) => [name as SampleSender, { ...user, realm }]))
  const readIds: number[] = []
  for (const sent of inOrder(tx.now)) {
    const then = { ...tx, now: sent.sentAt }
    const sender = speakerOf(sendersByName, sent.line[0])
    const prepared = await prepareMessage(tx.db, sender, requestOf(sent, sendersByName), then.now)
    const { id } = await sendMessage(then, prepared)
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

/** The presence reports to send, in this order. */
const reports = [
  { name: 'goran', status: 'active', minutesAgo: 2000 },
  { name: 'owner', status: 'active', minutesAgo: 200 },
  { name: 'farah', status: 'active', minutesAgo: 30 },
  { name: 'carol', status: 'active', minutesAgo: 25 },
  { name: 'carol', status: 'idle', minutesAgo: 1 },
  { name: 'bob', status: 'active', minutesAgo: 1 },
  { name: 'hanna', status: 'active', minutesAgo: 0 },
] as const

const preset: Preset = { names: personNames, people: newcomers, channels: sampleChannels }

/**
 * Creates an organization that looks as if it were in use. It includes the people and channels of every test
 * organization. The messages have their own transaction, because a transaction cannot read its own writes from caches:
 * in the first transaction, they would take three times as long.
 */
export async function createSample(
  services: Services,
  given: { subdomain?: string; name?: string },
  settings: Readonly<Record<string, unknown>>,
  password: SharedPassword,
): Promise<object> {
  const { transaction } = services
  const world = await transaction(async (tx) => {
    const made = await createWorld(tx, given, password, preset)
    await changeRealmSettings(tx, made.realm, settings)
    return made
  })
  // The realm of the test world has default settings, which do not restrict messages.
  await transaction((tx) => fillSample(tx, world))
  await reportPresences(services, world)
  return world.json
}

/** Makes some people online and others offline. */
async function reportPresences(services: Services, { realm, users }: TestWorld): Promise<void> {
  const now = Math.floor(services.clock.now())
  for (const { name, status, minutesAgo } of reports) {
    const user = users.get(name)
    if (user !== undefined) await reportPresence(services, { ...user, realm }, status, now - minutesAgo * 60)
  }
}
