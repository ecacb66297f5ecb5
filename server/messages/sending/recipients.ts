import { findChannelSubscriberIds } from '../../channels/audience-queries.ts'
import type { Channel } from '../../channels/channel.ts'
import { BotType } from '../../people/users/role.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { Mentions } from '../content/mentions.ts'
import type { ConversationRef } from '../conversation.ts'
import { findAllPublicUserIds } from './all-public-users.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** Who is to hear of a message, each named once. */
export type Recipients = {
  recipientIds: readonly number[]
  /** Those who listen to all public channels, where the message goes to one. */
  allPublicUserIds: readonly number[]
}

/** Who is to hear of a message that goes there. Bots that it mentions receive it, too, where everybody may read. */
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

/** The server's own bots, which are of no channel's organization, hear nothing. */
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
