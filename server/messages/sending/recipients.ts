import { sql } from 'kysely'
import { findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { findMuterIds } from '#people/mutes.ts'
import { BotType, Role } from '#rules/role.ts'
import { defineCache } from '#storage/cache.ts'
import { defineQuery, defineUnawaitedWrite, integersIn } from '#storage/sql.ts'
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
type Recipients = {
  recipientIds: readonly number[]
  /** Users with an event queue for all public channels, if the channel is public. */
  allPublicUserIds: readonly number[]
}

/** Returns the users who receive a message in the conversation. In public channels, mentioned bots receive it too. */
export async function findRecipients(
  db: Db,
  { author, target, mentions }: PreparedMessage,
  conversation: ConversationRef,
): Promise<Recipients> {
  const { channel } = conversation
  if (channel === null) {
    const people = target.channel === null ? target.people : []
    const recipients = people.filter((user) => user.realmId === author.realm.id)
    return { recipientIds: recipients.map((user) => user.id), allPublicUserIds: [] }
  }
  const [subscriberIds, botIds, allPublicUserIds] = await Promise.all([
    findChannelSubscriberIds(db, channel.id),
    findMentionedBotIds(db, channel, mentions),
    channel.isPrivate ? [] : findAllPublicUserIds(db, author.realm.id),
  ])
  const recipientIds = botIds.length === 0 ? subscriberIds : [...new Set([...subscriberIds, ...botIds])]
  return { recipientIds, allPublicUserIds }
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

type Delivery = {
  messageId: number
  senderId: number
  isReadBySender: boolean
  mentions: Mentions
  isUnreadFor?: PreparedMessage['isUnreadFor'] | undefined
}

const saveRecords = defineUnawaitedWrite('userMessages', (tx, userIds: string, messageId: number, flags: number) =>
  tx
    .insertInto('userMessages')
    .columns(['userId', 'messageId', 'flags'])
    .expression(
      integersIn(tx.db, userIds).select([
        'list.value as userId',
        sql<number>`cast(${messageId} as bigint)`.as('messageId'),
        sql<number>`cast(${flags} as bigint)`.as('flags'),
      ]),
    ),
)

/**
 * Saves records of the message for these users, who must be distinct. Runs one statement for each combination of flags.
 */
export async function deliver(
  tx: Transaction,
  userIds: readonly number[],
  delivery: Delivery,
): Promise<RecipientsByFlags> {
  const muterIds = await findMuterIds(tx.db, delivery.senderId)
  const recipients = new Map<number, number[]>()
  for (const userId of userIds) {
    const flags = flagsOf(delivery, muterIds, userId)
    const group = recipients.get(flags)
    if (group === undefined) recipients.set(flags, [userId])
    else group.push(userId)
  }
  for (const [flags, group] of recipients) saveRecords(tx, JSON.stringify(group), delivery.messageId, flags)
  return recipients
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
  { senderId, isReadBySender, mentions, isUnreadFor }: Delivery,
  muterIds: ReadonlySet<number>,
  userId: number,
): number {
  const flags = contentFlags(mentions, userId)
  const isRead = (userId === senderId && isReadBySender) || muterIds.has(userId)
  const isUnread = isUnreadFor?.(userId) ?? true
  return isRead || !isUnread ? flags | Flag.read : flags
}
