import { sql } from 'kysely'
import { findSubscribersOf } from '../../channels/audience-queries.ts'
import type { Channel } from '../../channels/channel.ts'
import { findMuterIds } from '../../mutes/queries.ts'
import { rowsIn, theInteger } from '../../storage/json-list.ts'
import { defineWrite } from '../../storage/prepared-query.ts'
import type { Db, Transaction } from '../../storage/storage.ts'
import { BotType } from '../../users/role.ts'
import { type Mentions, textFlags } from '../content/mentions.ts'
import { Flag } from '../flags/flag.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** Who received a message, by the flags with which they did. */
export type Receivers = ReadonlyMap<number, readonly number[]>

type Delivery = {
  messageId: number
  senderId: number
  isReadBySender: boolean
  mentions: Mentions
  isNewsTo?: PreparedMessage['isNewsTo'] | undefined
}

const saveRecords = defineWrite('userMessages', (tx, userIds: string, messageId: number, flags: number) =>
  tx
    .insertInto('userMessages')
    .columns(['userId', 'messageId', 'flags'])
    .expression(
      rowsIn(tx.db, userIds).select([
        theInteger.as('userId'),
        sql<number>`cast(${messageId} as bigint)`.as('messageId'),
        sql<number>`cast(${flags} as bigint)`.as('flags'),
      ]),
    ),
)

/**
 * Hands the message to the active subscribers of the channel: one statement for each set of flags, however many they are.
 * Bots that it mentions receive it, too.
 */
export async function deliverToChannel(tx: Transaction, channel: Channel, delivery: Delivery): Promise<Receivers> {
  const subscriberIds = await findSubscribersOf(tx.db, channel.id)
  const botIds = await findMentionedBotIds(tx.db, channel, delivery.mentions)
  const userIds = botIds.length === 0 ? subscriberIds : [...new Set([...subscriberIds, ...botIds])]
  return deliverToPeople(tx, userIds, delivery)
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

/** Hands the message to these people, each of whom is named once. */
export async function deliverToPeople(
  tx: Transaction,
  userIds: readonly number[],
  delivery: Delivery,
): Promise<Receivers> {
  const muterIds = await findMuterIds(tx.db, delivery.senderId)
  const receivers = new Map<number, number[]>()
  for (const userId of userIds) {
    const flags = flagsOf(delivery, muterIds, userId)
    const holders = receivers.get(flags)
    if (holders === undefined) receivers.set(flags, [userId])
    else holders.push(userId)
  }
  for (const [flags, holders] of receivers) await saveRecords(tx, JSON.stringify(holders), delivery.messageId, flags)
  return receivers
}

/** All who received it, whatever their flags. */
export function idsOf(receivers: Receivers): ReadonlySet<number> {
  return new Set([...receivers.values()].flat())
}

/** What comes from somebody whom the receiver mutes is read, and what is no news to them. */
function flagsOf(
  { senderId, isReadBySender, mentions, isNewsTo }: Delivery,
  muterIds: ReadonlySet<number>,
  userId: number,
): number {
  const flags = textFlags(mentions, userId)
  const isRead = (userId === senderId && isReadBySender) || muterIds.has(userId)
  const isNews = isNewsTo?.(userId) ?? true
  return isRead || !isNews ? flags | Flag.read : flags
}
