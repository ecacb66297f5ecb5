import { findChannelSubscriberIds } from '#channels/audience-queries.ts'
import type { Channel } from '#channels/channel.ts'
import { BotType } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import type { Mentions } from '../content/mentions.ts'
import type { ConversationRef } from '../conversation.ts'
import { findAllPublicUserIds } from './all-public-users.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** The users who receive a message, without duplicates. */
export type Recipients = {
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
