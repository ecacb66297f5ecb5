import { findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { findMuterIds } from '#people/mutes.ts'
import { BotType, Role } from '#rules/role.ts'
import { defineCache } from '#storage/cache.ts'
import {
  COMPUTED_ONCE,
  defineQuery,
  defineUnawaitedWrite,
  integerAt,
  integersOf,
  rowsIn,
  textAt,
} from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { Flag } from '../flags.ts'
import { contentFlags, type Mentions } from '../mentions.ts'
import type { ConversationRef } from '../message.ts'
import type { PreparedMessage } from '../prepare-message.ts'

const findQueueOwners = defineQuery((db, realmId: number) =>
  db
    .selectFrom('eventQueues')
    .innerJoin('users', 'users.id', 'eventQueues.userId')
    .select('eventQueues.userId')
    .distinct()
    .where('eventQueues.realmId', '=', realmId)
    .where('hearsAllPublic', '=', 1)
    .where('deactivatedAt', 'is', null)
    .where('role', '<', Role.guest),
)

const queueOwnersOfRealm = defineCache<number, readonly number[]>({
  dependsOn: ['eventQueues', 'users'],
  isBypassedInTransactions: true,
  limit: 200,
  load: async (db, realmId) => (await findQueueOwners(db, realmId)).map((row) => row.userId),
})

/**
 * Returns the users with an event queue for messages of all public channels, subscribed or not. Leaves out users who
 * have become guests since they registered the queue.
 */
const findAllPublicUserIds = queueOwnersOfRealm.get

/** The users who receive a message, without duplicates. */
export type Recipients = {
  recipientIds: readonly number[]
  /** Users with an event queue for all public channels, if the channel is public. */
  allPublicUserIds: readonly number[]
}

/**
 * Returns the users who receive each message. In public channels, mentioned bots receive it too. The subscribers of a
 * channel are read once.
 */
export async function findRecipients(
  db: Db,
  messages: readonly { prepared: PreparedMessage; conversation: ConversationRef }[],
): Promise<Recipients[]> {
  const subscribers = new Map<number, Promisable<readonly number[]>>()
  const queueOwners = new Map<number, Promisable<readonly number[]>>()
  return Promise.all(
    messages.map(async ({ prepared: { author, target, mentions }, conversation: { channel } }) => {
      if (channel === null) {
        const people = target.channel === null ? target.people : []
        const recipients = people.filter((user) => user.realmId === author.realm.id)
        return { recipientIds: recipients.map((user) => user.id), allPublicUserIds: [] }
      }
      const [subscriberIds, botIds, allPublicUserIds] = await Promise.all([
        onceFor(subscribers, channel.id, () => findChannelSubscriberIds(db, channel.id)),
        findMentionedBotIds(db, channel, mentions),
        channel.isPrivate ? [] : onceFor(queueOwners, author.realm.id, () => findAllPublicUserIds(db, author.realm.id)),
      ])
      const recipientIds = botIds.length === 0 ? subscriberIds : [...new Set([...subscriberIds, ...botIds])]
      return { recipientIds, allPublicUserIds }
    }),
  )
}

type Promisable<Value> = Value | Promise<Value>

function onceFor<Value>(
  found: Map<number, Promisable<Value>>,
  id: number,
  find: () => Promisable<Value>,
): Promisable<Value> {
  const value = found.get(id) ?? find()
  found.set(id, value)
  return value
}

/**
 * Returns the mentioned bots if the channel is public. Leaves out system bots, which belong to another organization.
 */
async function findMentionedBotIds(db: Db, channel: Channel, { userIds }: Mentions): Promise<number[]> {
  if (channel.isPrivate || userIds.size === 0) return []
  const bots = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...userIds])
    .where('realmId', '=', channel.realmId)
    .where('botType', '=', BotType.generic)
    .where('deactivatedAt', 'is', null)
    .execute()
  return bots.map((bot) => bot.id)
}

/** The ids of a message's recipients, grouped by the flags that the message has for them. */
export type RecipientsByFlags = ReadonlyMap<number, readonly number[]>

/** A message and its recipients, who must be distinct. */
type Delivery = Pick<PreparedMessage, 'author' | 'isReadBySender' | 'mentions' | 'isUnreadFor'> & {
  messageId: number
  recipientIds: readonly number[]
}

/** Saves records from a list of `[message id, flags, user ids]`. */
const saveRecords = defineUnawaitedWrite('userMessages', (tx, groups: string) => {
  const group = rowsIn(tx.db, groups)
    .select([integerAt(0).as('messageId'), integerAt(1).as('flags'), textAt(2).as('userIds')])
    .limit(COMPUTED_ONCE)
  return tx
    .insertInto('userMessages')
    .columns(['messageId', 'flags', 'userId'])
    .expression(
      tx.db
        .selectFrom(group.as('group'))
        .innerJoin(integersOf(tx.db, 'group.userIds', 'recipient'), (join) => join.onTrue())
        .select(['group.messageId', 'group.flags', 'recipient.value as userId']),
    )
})

/** Saves records of the messages for their recipients, in one statement. Returns the recipients of each message. */
export async function deliver(tx: Transaction, deliveries: readonly Delivery[]): Promise<RecipientsByFlags[]> {
  const delivered: RecipientsByFlags[] = []
  for (const delivery of deliveries) {
    const muterIds = await findMuterIds(tx.db, delivery.author.user.id)
    const recipients = new Map<number, number[]>()
    for (const userId of delivery.recipientIds) {
      const flags = flagsOf(delivery, muterIds, userId)
      const group = recipients.get(flags)
      if (group === undefined) recipients.set(flags, [userId])
      else group.push(userId)
    }
    delivered.push(recipients)
  }
  const groups = delivered.flatMap((recipients, at) =>
    Array.from(recipients, ([flags, userIds]) => [deliveries[at]?.messageId, flags, userIds.join()]),
  )
  saveRecords(tx, JSON.stringify(groups))
  return delivered
}

/** Returns all recipients, regardless of their flags. */
export function recipientIdsOf(recipients: RecipientsByFlags): ReadonlySet<number> {
  return new Set([...recipients.values()].flat())
}

/**
 * Returns the user's flags on the message. The message is read for a sender with `isReadBySender`, for users who mute
 * the sender, and for users for whom `isUnreadFor` returns false.
 */
function flagsOf(
  { author, isReadBySender, mentions, isUnreadFor }: Delivery,
  muterIds: ReadonlySet<number>,
  userId: number,
): number {
  const flags = contentFlags(mentions, userId)
  const isRead = (userId === author.user.id && isReadBySender) || muterIds.has(userId)
  const isUnread = isUnreadFor?.(userId) ?? true
  return isRead || !isUnread ? flags | Flag.read : flags
}
