import { CompiledQuery } from 'kysely'
import { saveChannel } from '#channels/queries.ts'
import type { QueueForm } from '#events/queues/event-queue.ts'
import { saveQueue } from '#events/queues/queries.ts'
import { DEFAULT_LIFESPAN } from '#events/queues/queue-registry.ts'
import { hashSecret, randomLetters } from '#lib/secrets.ts'
import { prepareMessage } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { saveUser } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import { findLastEventId } from '#storage/event-log.ts'
import { insertRows } from '#storage/sql.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import { webForm } from '../test/queue-forms.ts'
import type { BenchUser } from './request.ts'
import type { SeededRandom } from './seeded-random.ts'

export type Size = {
  people: number
  /** The number of channels. */
  channels?: number
  /** The first subscriber of each channel among `people`, and the one after the last. If omitted, all are subscribed. */
  members?: readonly (readonly [number, number])[]
  /** The number of messages in the first channel. */
  messages?: number
  /** True if all users have an event queue for messages. */
  queues?: boolean
}

export type Population = {
  people: BenchUser[]
  channels: { id: number; name: string }[]
  messageIds: number[]
  /** In the order of `people`. */
  queueIds: string[]
}

const DAY = 86_400

/** Creates one organization, with its owner first. */
export async function populate(storage: Storage, size: Size, random: SeededRandom): Promise<Population> {
  const { db, transaction } = storage
  const { people, channels, author } = await transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const users: User[] = []
    const people: BenchUser[] = []
    for (let number = 0; number < size.people; number += 1) {
      const user = await saveUser(tx, {
        realmId: realm.id,
        deliveryEmail: `person${number}@example.com`,
        fullName: `Person ${number}`,
        role: number === 0 ? Role.owner : Role.member,
        joinedAt: tx.now - 30 * DAY,
      })
      const apiKey = randomLetters(random, 32)
      await tx
        .insertInto('apiKeys')
        .values({ userId: user.id, hash: hashSecret(apiKey), client: 'bench', createdAt: tx.now })
        .execute()
      users.push(user)
      people.push({ id: user.id, email: user.deliveryEmail, apiKey })
    }
    const channels = await saveChannels(tx, realm, size, people)
    return { people, channels, author: { ...(users[0] as User), realm } }
  })
  const messageIds = await sendMessages(db, transaction, author, channels[0]?.id, size.messages ?? 0)
  // PostgreSQL does this by itself within a minute; without it the first measurements would have worse plans than later
  // ones.
  if (db.dialect === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'))
  const queueIds = size.queues ? await transaction((tx) => saveQueues(tx, author.realmId, people)) : []
  return { people, channels, messageIds, queueIds }
}

const form: QueueForm = { ...webForm, eventTypes: ['message'] }

async function saveQueues(tx: Transaction, realmId: number, people: readonly BenchUser[]): Promise<string[]> {
  const startId = await findLastEventId(tx.db, realmId)
  const ids: string[] = []
  for (const { id: userId } of people)
    ids.push((await saveQueue(tx, { realmId, userId, startId, lifespan: DEFAULT_LIFESPAN, form })).id)
  return ids
}

async function saveChannels(
  tx: Transaction,
  realm: Realm,
  { channels: count = 0, members }: Size,
  people: readonly BenchUser[],
): Promise<Population['channels']> {
  const channels: Population['channels'] = []
  for (let number = 0; number < count; number += 1) {
    const { id, name } = await saveChannel(tx, {
      realmId: realm.id,
      name: `channel ${number}`,
      description: 'What we talk about here',
      renderedDescription: '<p>What we talk about here</p>',
      isPrivate: false,
      isWebPublic: false,
      isHistoryShared: true,
      creatorId: null,
      settings: {},
    })
    channels.push({ id, name })
    const row = {
      channelId: id,
      color: '#76ce90',
      isMuted: 0,
      isPinned: 0,
      settings: '{}',
      unsubscribedAt: null,
      subscribedAt: tx.now,
    } as const
    const rows = people.slice(...(members?.[number] ?? [])).map((person) => ({ ...row, userId: person.id }))
    await insertRows(tx, 'subscriptions', rows)
  }
  return channels
}

const CONTENT = `The build of **release 4.2** is green again. What was wrong:

* the cache of the second runner was full
* nobody looked at [the warnings](https://example.com/builds/1234/warnings)

I have added a check, so that \`npm test\` says so :tada:. Thanks for the patience, everybody!`

async function sendMessages(
  db: Db,
  transaction: RunTransaction,
  author: Actor,
  channel: number | undefined,
  count: number,
): Promise<number[]> {
  if (channel === undefined || count === 0) return []
  const realm = (await findRealm(db, author.realmId)) as Realm
  const request = {
    to: { channel, topic: 'builds' },
    content: CONTENT,
    client: 'website',
    isReadBySender: true,
    localEcho: null,
  }
  const prepared = await prepareMessage(db, { ...author, realm }, request, author.joinedAt + DAY)
  return transaction(async (tx) => {
    const ids: number[] = []
    for (let number = 0; number < count; number += 1) ids.push((await sendMessage(tx, prepared)).id)
    return ids
  })
}
