import { isBot, type User } from '#people/users/user.ts'
import { BotType } from '#rules/role.ts'
import { idsIn } from '#storage/json-list.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ConversationRef } from '../conversation.ts'
import { saveWebhookCalls } from '../notices/webhook-call-queries.ts'
import { type RecipientsByFlags, recipientIdsOf } from './deliver.ts'
import type { PreparedMessage } from './prepare-message.ts'

/**
 * Queues webhook calls for outgoing webhook bots that receive the message as a direct message or are mentioned in it. A
 * subscribed bot can be mentioned by name or as a member of a group. In public channels, other bots can be mentioned by
 * name. Messages from bots trigger no calls, because two bots could otherwise reply to each other forever.
 */
export async function queueWebhookCalls(
  tx: Transaction,
  prepared: PreparedMessage,
  messageId: number,
  conversation: ConversationRef,
  recipients: RecipientsByFlags,
): Promise<void> {
  const { author, target } = prepared
  if (isBot(author.user)) return
  if (target.channel === null) {
    const botIds = target.people.filter(isActiveWebhookBot).map((bot) => bot.id)
    await saveWebhookCalls(tx, botIds, messageId, 'direct_message')
  } else
    await saveWebhookCalls(tx, await findMentionedBots(tx, prepared, conversation, recipients), messageId, 'mention')
}

const isActiveWebhookBot = (user: User) => user.botType === BotType.outgoingWebhook && user.deactivatedAt === null

async function findMentionedBots(
  tx: Transaction,
  { mentions }: PreparedMessage,
  { channel }: ConversationRef,
  recipients: RecipientsByFlags,
): Promise<number[]> {
  const { userIds, groupMemberIds } = mentions
  if (userIds.size === 0 && groupMemberIds.size === 0) return []
  const recipientIds = recipientIdsOf(recipients)
  const receives = (id: number) => recipientIds.has(id) || (userIds.has(id) && channel?.isPrivate === false)
  const ids = [...userIds.union(groupMemberIds)].filter(receives)
  const bots = await tx.db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', idsIn(tx.db.dialect, JSON.stringify(ids)))
    .where('botType', '=', BotType.outgoingWebhook)
    .where('deactivatedAt', 'is', null)
    .execute()
  return bots.map(({ id }) => id)
}
