import { sql } from 'kysely'
import type { Channel } from '../../channels/channel.ts'
import { findMuterIds } from '../../mutes/queries.ts'
import { batches } from '../../storage/batches.ts'
import { defineWrite } from '../../storage/prepared-query.ts'
import type { Db, Transaction } from '../../storage/storage.ts'
import { BotType } from '../../users/role.ts'
import { type Mentions, textFlags } from '../content/mentions.ts'
import { Flag } from '../flags/flag.ts'

/** Who received a message, and with which flags. */
export type Receivers = ReadonlyMap<number, number>

type Delivery = { messageId: number; senderId: number; isReadBySender: boolean; mentions: Mentions }

const deliverToSubscribers = defineWrite('userMessages', (tx, channelId: number, messageId: number, flags: number) =>
  tx
    .insertInto('userMessages')
    .columns(['userId', 'messageId', 'flags'])
    .expression(
      tx.db
        .selectFrom('subscriptions')
        .innerJoin('users', 'users.id', 'subscriptions.userId')
        .select([
          'subscriptions.userId',
          sql<number>`cast(${messageId} as bigint)`.as('messageId'),
          sql<number>`cast(${flags} as bigint)`.as('flags'),
        ])
        .where('subscriptions.channelId', '=', channelId)
        .where('subscriptions.unsubscribedAt', 'is', null)
        .where('users.deactivatedAt', 'is', null),
    )
    .returning('userId'),
)

/**
 * Hands the message to the active subscribers of the channel: one statement for all, and one more for each set of flags.
 * Bots that it mentions receive it, too.
 */
export async function deliverToChannel(tx: Transaction, channel: Channel, delivery: Delivery): Promise<Receivers> {
  const { messageId, mentions } = delivery
  const usualFlags = mentions.wholeChannel ? Flag.stream_wildcard_mentioned : 0
  const rows = await deliverToSubscribers(tx, channel.id, messageId, usualFlags)
  const muterIds = await findMuterIds(tx.db, delivery.senderId)
  const subscribers = new Map(rows.map(({ userId }) => [userId, flagsOf(delivery, muterIds, userId)]))
  const special = [...subscribers].filter(([, flags]) => flags !== usualFlags)
  for (const [flags, holders] of Map.groupBy(special, ([, flags]) => flags)) {
    const userIds = holders.map(([userId]) => userId)
    for (const batch of batches(userIds)) await saveFlags(tx, messageId, batch, flags)
  }
  const botIds = (await findMentionedBotIds(tx.db, channel, mentions)).filter((id) => !subscribers.has(id))
  if (botIds.length === 0) return subscribers
  return new Map([...subscribers, ...(await deliverToPeople(tx, botIds, delivery))])
}

/** The bots that hear of the message although they are not subscribed: those that it mentions where everybody may read. */
async function findMentionedBotIds(db: Db, channel: Channel, { userIds }: Mentions): Promise<number[]> {
  if (channel.isPrivate || userIds.size === 0) return []
  const bots = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...userIds])
    .where('botType', '=', BotType.generic)
    .where('deactivatedAt', 'is', null)
    .execute()
  return bots.map((bot) => bot.id)
}

/** Hands the message to these people. */
export async function deliverToPeople(
  tx: Transaction,
  userIds: readonly number[],
  delivery: Delivery,
): Promise<Receivers> {
  const { messageId, senderId } = delivery
  const muterIds = await findMuterIds(tx.db, senderId)
  const receivers = new Map(userIds.map((userId) => [userId, flagsOf(delivery, muterIds, userId)]))
  const rows = Array.from(receivers, ([userId, flags]) => ({ userId, messageId, flags }))
  await tx.insertInto('userMessages').values(rows).execute()
  return receivers
}

/** What comes from somebody whom the receiver mutes is read. */
function flagsOf(
  { senderId, isReadBySender, mentions }: Delivery,
  muterIds: ReadonlySet<number>,
  userId: number,
): number {
  const flags = textFlags(mentions, userId)
  const isRead = (userId === senderId && isReadBySender) || muterIds.has(userId)
  return isRead ? flags | Flag.read : flags
}

async function saveFlags(tx: Transaction, messageId: number, userIds: readonly number[], flags: number): Promise<void> {
  await tx
    .updateTable('userMessages')
    .set({ flags })
    .where('messageId', '=', messageId)
    .where('userId', 'in', userIds)
    .execute()
}
