import { updateFlags } from '../../messages/flags/update-flags.ts'
import { addReaction } from '../../messages/reactions/change-reactions.ts'
import { type MessageRequest, prepareMessage } from '../../messages/sending/prepare-message.ts'
import { saveMessage } from '../../messages/sending/send-message.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import type { TestWorld } from '../test-world.ts'
import { buildConversations } from './build-conversations.ts'
import { companyConversations } from './company-conversations.ts'
import { directConversations } from './direct-conversations.ts'
import { engineeringConversations } from './engineering-conversations.ts'
import type { SampleConversation, SampleMessage, SampleSender } from './sample-conversation.ts'

/** What is older has been read by everybody. */
const UNREAD_HOURS = 12

/** How long after one line of a conversation the next comes, in seconds. */
const PAUSES = [95, 40, 210, 65, 320] as const

type SpokenLine = { sentAt: number; talk: SampleConversation; line: SampleMessage }

/** Lets the people of the sample have said all that they say, as if they had said it over the last weeks. */
export async function fillSample(tx: Transaction, { realm, users }: TestWorld): Promise<void> {
  const cast = new Map([...users].map(([name, user]) => [name as SampleSender, { ...user, realm }]))
  const readIds: number[] = []
  for (const spoken of inOrder(tx.now)) {
    const then = { ...tx, now: spoken.sentAt }
    const speaker = speakerOf(cast, spoken.line[0])
    const prepared = await prepareMessage(tx.db, speaker, requestOf(spoken, cast), then.now)
    const { id } = await saveMessage(then, prepared)
    await react(then, cast, id, spoken.line)
    if (spoken.sentAt < tx.now - UNREAD_HOURS * 3600) readIds.push(id)
  }
  for (const reader of cast.values()) await readAll(tx, reader, readIds)
}

function inOrder(now: number): SpokenLine[] {
  const talks = [...companyConversations, ...engineeringConversations, ...directConversations, ...buildConversations]
  return talks.flatMap((talk) => spoken(talk, now)).toSorted((one, other) => one.sentAt - other.sentAt)
}

function spoken(talk: SampleConversation, now: number): SpokenLine[] {
  let sentAt = Math.floor(now) - talk.hoursAgo * 3600
  return talk.lines.map((line, at) => {
    sentAt += PAUSES[at % PAUSES.length] as number
    return { sentAt, talk, line }
  })
}

function speakerOf(cast: ReadonlyMap<SampleSender, Actor>, name: SampleSender): Actor {
  const actor = cast.get(name)
  if (actor === undefined) throw new Error(`The sample knows nobody called ${name}`)
  return actor
}

function requestOf({ talk, line: [, content] }: SpokenLine, cast: ReadonlyMap<SampleSender, Actor>): MessageRequest {
  const to =
    'people' in talk
      ? { people: talk.people.map((name) => speakerOf(cast, name).id) }
      : { channel: talk.channel, topic: talk.topic }
  return { to, content, client: 'website', isReadBySender: true, localEcho: null }
}

async function react(
  tx: Transaction,
  cast: ReadonlyMap<SampleSender, Actor>,
  messageId: number,
  [, , reactions = {}]: SampleMessage,
): Promise<void> {
  for (const [name, speakers] of Object.entries(reactions))
    for (const speaker of speakers) await addReaction(tx, speakerOf(cast, speaker), messageId, { name })
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
