import { saveChannel } from '#channels/queries.ts'
import { defaultColor } from '#channels/subscriptions.ts'
import type { Services } from '#http/endpoint.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { updateFlags } from '#messages/update-flags.ts'
import { findRealmUsers, saveUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { insertRows } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { createSample } from '#testing/sample/create-sample.ts'

/** The people and channels in addition to the sample's; the channels include those that all measurements use. */
export type OrganizationSize = { people: number; channels: number }

export const SMALL: OrganizationSize = { people: 0, channels: 6 }
export const BIG: OrganizationSize = { people: 985, channels: 186 }

export type Topic = { channelId: number; topic: string }

/** The conversations that are measured. */
export type MeasuredTopics = {
  /** A topic with 2,000 messages. */
  long: Topic
  /** Two topics of the same channel with as many messages as a client loads at once. */
  pair: [Topic, Topic]
  /** Topics of other channels. */
  elsewhere: Topic[]
}

type FilledOrganization = MeasuredTopics & { reader: Actor; author: Actor }

const LONG_MESSAGES = 2000
const PAIR_MESSAGES = 60
const SUBSCRIBERS = 40
const HOUR = 3600

/** Messages of the lengths and kinds that conversations have. */
const CONTENTS = [
  'Thanks, that did it :tada:',
  'The build of **release 4.2** is green again. I added a check, so that `npm test` reports a full cache.',
  'Can someone look at [the warnings](https://example.com/builds/1234/warnings) before we merge?',
  'I moved the plan:\n\n* the importer first\n* then the new list\n* the rest next week',
  '```js\nexport const distance = (one, other) =>\n  Math.hypot(one.x - other.x, one.y - other.y)\n```',
  'Yes.',
  '> Do we still need the old format?\n\nOnly until the phones are updated. After that it has no readers, and the table can go, with its index and the job that fills it every night.',
  'Done, and deployed to staging.',
]

/**
 * Creates the sample organization with further people, channels and messages; the reader subscribes to all channels.
 */
export async function fillOrganization(services: Services, size: OrganizationSize): Promise<FilledOrganization> {
  await createSample(services, { subdomain: '', name: 'Bright Labs' }, {}, { text: '', hash: '' })
  const { db, transaction } = services
  const realm = (await findRealmBySubdomain(db, ''))!
  const users = await findRealmUsers(db, realm.id)
  const named = (email: string): Actor => ({ ...users.find(({ deliveryEmail }) => deliveryEmail === email)!, realm })
  const [reader, author] = [named('alice@example.com'), named('bob@example.com')]
  const channelIds = await transaction(async (tx) => {
    const peopleIds = [reader.id, author.id]
    for (let number = 1; number <= size.people; number += 1) peopleIds.push((await savePerson(tx, realm.id, number)).id)
    const ids: number[] = []
    for (let number = 1; number <= size.channels; number += 1)
      ids.push(
        await saveSubscribedChannel(tx, realm.id, number, number === 1 ? peopleIds : subscribersOf(number, peopleIds)),
      )
    return ids
  })
  const [main = 0, second = 0, ...others] = channelIds
  const long = { channelId: second, topic: 'long' }
  const pair: [Topic, Topic] = [
    { channelId: second, topic: 'first' },
    { channelId: second, topic: 'second' },
  ]
  const elsewhere = [main, ...others].flatMap((channelId) => [
    { channelId, topic: 'plans' },
    { channelId, topic: 'questions' },
  ])
  await sendMessages(services, author, [
    { ...long, count: LONG_MESSAGES },
    ...pair.map((topic) => ({ ...topic, count: PAIR_MESSAGES, readBy: reader })),
    ...elsewhere.map((topic) => ({ ...topic, count: 2 })),
  ])
  return { reader, author, long, pair, elsewhere }
}

const savePerson = (tx: Transaction, realmId: number, number: number) =>
  saveUser(tx, {
    realmId,
    deliveryEmail: `person${number}@example.com`,
    fullName: `Person ${number}`,
    role: Role.member,
    joinedAt: tx.now - HOUR,
  })

/** Returns the reader, the author, and as many others, which differ by channel. */
function subscribersOf(channel: number, peopleIds: readonly number[]): number[] {
  const [readerId = 0, authorId = 0, ...others] = peopleIds
  const start = others.length > SUBSCRIBERS ? (channel * SUBSCRIBERS) % (others.length - SUBSCRIBERS) : 0
  return [readerId, authorId, ...others.slice(start, start + SUBSCRIBERS)]
}

async function saveSubscribedChannel(
  tx: Transaction,
  realmId: number,
  number: number,
  subscriberIds: readonly number[],
): Promise<number> {
  const { id } = await saveChannel(tx, {
    realmId,
    name: `project ${number}`,
    description: 'Plans and questions',
    renderedDescription: '<p>Plans and questions</p>',
    isPrivate: false,
    isWebPublic: false,
    isHistoryShared: true,
    creatorId: null,
    settings: {},
  })
  const row = {
    channelId: id,
    color: defaultColor(id),
    isMuted: 0,
    isPinned: 0,
    settings: '{}',
    unsubscribedAt: null,
    subscribedAt: tx.now,
  } as const
  await insertRows(
    tx,
    'subscriptions',
    subscriberIds.map((userId) => ({ ...row, userId })),
  )
  return id
}

/** Sends messages of the author to topics, one topic after the other. */
export async function sendMessages(
  { db, transaction, clock }: Services,
  author: Actor,
  sendings: readonly (Topic & { count: number; readBy?: Actor })[],
): Promise<void> {
  for (const { channelId, topic, count, readBy } of sendings) {
    const contents = CONTENTS.slice(0, count)
    const prepared: PreparedMessage[] = []
    for (const content of contents) {
      const to = { channel: channelId, topic }
      const request: MessageRequest = { to, content, client: 'website', isReadBySender: true, localEcho: null }
      prepared.push(await prepareMessage(db, author, request, Math.floor(clock.now())))
    }
    await transaction(async (tx) => {
      const messageIds: number[] = []
      for (let at = 0; at < count; at += 1) messageIds.push((await sendMessage(tx, prepared[at % prepared.length]!)).id)
      if (readBy !== undefined) await updateFlags(tx, readBy, { messageIds, op: 'add', flag: 'read' })
    })
  }
}
