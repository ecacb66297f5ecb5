import type { MessageTopic } from '#channels/topic.ts'
import { findCommand } from '#people/bot-commands.ts'
import { isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { BotType } from '#rules/role.ts'
import { idsIn } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { Flag, MENTION_FLAGS } from '../flags.ts'
import type { ConversationRef } from '../message.ts'
import {
  AWAY_AFTER,
  findChannelNotificationUserIds,
  findNotifiableUsers,
  findTopicFollowerIds,
  type NotifiableUser,
  type NotificationMedium,
  type PendingMail,
  savePendingMails,
  wantsNotification,
} from '../notifiable-users.ts'
import { findPushSubscriberIds, savePushNotices } from '../notification-queues.ts'
import type { PreparedMessage } from '../prepare-message.ts'
import { saveWebhookCalls } from '../webhook-calls.ts'
import { type RecipientsByFlags, recipientIdsOf } from './recipients.ts'

/** The message to notify about. The user `senderId` sent it or added a mention to it, and gets no notification. */
type SentMessage = {
  realm: Realm
  messageId: number
  senderId: number
  topicRef: MessageTopic
  recipients: RecipientsByFlags
}

/** Seconds that an online user has to read a message before their other browsers notify them. */
const ONLINE_DELAY = 10

/**
 * Schedules notifications for the recipients who want them. Users who are away get an email after their batching
 * period, and a push notification at once. No statement runs if no user qualifies.
 */
export async function queueNotifications(tx: Transaction, messages: readonly SentMessage[]): Promise<void> {
  const notifying: (SentMessage & { flagsByUser: Map<number, number> })[] = []
  for (const sent of messages) {
    const flagsByUser = await findCandidates(tx, sent)
    if (flagsByUser.size > 0) notifying.push({ ...sent, flagsByUser })
  }
  if (notifying.length === 0) return
  const usersOfEach = await findNotifiableUsers(
    tx.db,
    notifying.map(({ topicRef, flagsByUser }) => ({ topicRef, userIds: [...flagsByUser.keys()] })),
    tx.now,
  )
  const mails: PendingMail[] = []
  for (const [at, { messageId, realm, topicRef, flagsByUser }] of notifying.entries()) {
    const users = usersOfEach[at] ?? []
    const wants = (medium: NotificationMedium, user: NotifiableUser) =>
      wantsNotification(medium, user, flagsByUser.get(user.id) ?? 0, { isDirect: topicRef === null, now: tx.now })
    const away = new Set(users.filter((user) => isAway(user, realm, tx.now)))
    for (const user of away)
      if (wants('mail', user))
        mails.push({
          userId: user.id,
          messageId,
          dueAt: tx.now + user.settings.email_notifications_batching_period_seconds,
        })
    const subscriberIds = await findPushSubscriberIds(tx.db, realm.id)
    savePushNotices(
      tx,
      messageId,
      users
        .filter((user) => subscriberIds.has(user.id) && wants('push', user))
        .filter((user) => away.has(user) || user.settings.enable_online_push_notifications)
        .map((user) => ({ userId: user.id, dueAt: away.has(user) ? tx.now : tx.now + ONLINE_DELAY })),
    )
  }
  savePendingMails(tx, mails)
}

/** Returns the flags of the users who may want a notification, by user id. */
async function findCandidates(
  tx: Transaction,
  { senderId, topicRef, recipients }: SentMessage,
): Promise<Map<number, number>> {
  const candidates = new Map<number, number>()
  for (const [flags, userIds] of recipients) {
    if (flags & Flag.read) continue
    const includesEveryone = topicRef === null || (flags & MENTION_FLAGS) !== 0
    const [channelUserIds, followerIds] = includesEveryone
      ? []
      : [await findChannelNotificationUserIds(tx.db, topicRef.channelId), await findTopicFollowerIds(tx.db, topicRef)]
    for (const userId of userIds) {
      if (userId === senderId) continue
      if (includesEveryone || channelUserIds?.has(userId) || followerIds?.has(userId)) candidates.set(userId, flags)
    }
  }
  return candidates
}

/**
 * Returns true if the user counts as away. If presence is disabled, a user with a connected client counts as online.
 */
function isAway({ isConnected, lastActiveAt }: NotifiableUser, realm: Realm, now: number): boolean {
  if (!isConnected) return true
  if (realm.settings.presence_disabled) return false
  return lastActiveAt === null || now - lastActiveAt > AWAY_AFTER
}

/**
 * Queues webhook calls for outgoing webhook bots that receive the message as a direct message or are mentioned in it, and
 * for the bot whose command it starts with. A subscribed bot can be mentioned by name or as a member of a group. In
 * public channels, other bots can be mentioned by name. The same rule decides where a command reaches its bot, so that
 * nobody's command shows a bot a conversation that it cannot read. Messages from bots trigger no calls, because two bots
 * could otherwise reply to each other forever.
 */
export async function queueWebhookCalls(
  tx: Transaction,
  prepared: PreparedMessage,
  messageId: number,
  conversation: ConversationRef,
  recipients: RecipientsByFlags,
): Promise<void> {
  const { author, target, content } = prepared
  if (isBot(author.user)) return
  const botIds =
    target.channel === null
      ? target.people.filter(isActiveWebhookBot).map((bot) => bot.id)
      : await findMentionedBots(tx, prepared, conversation, recipients)
  const command = await findCommand(tx.db, author.realm.id, content)
  const hasCommand = command !== null && mayReceive(command.botId, conversation, recipientIdsOf(recipients))
  if (hasCommand) await saveWebhookCalls(tx, [command.botId], messageId, 'command')
  const others = hasCommand ? botIds.filter((id) => id !== command.botId) : botIds
  await saveWebhookCalls(tx, others, messageId, target.channel === null ? 'direct_message' : 'mention')
}

/** Returns whether a bot may get a message that names it: as a recipient, or in a public channel. */
const mayReceive = (botId: number, { channel }: ConversationRef, recipientIds: ReadonlySet<number>): boolean =>
  recipientIds.has(botId) || channel?.isPrivate === false

const isActiveWebhookBot = (user: User) => user.botType === BotType.outgoingWebhook && user.deactivatedAt === null

async function findMentionedBots(
  tx: Transaction,
  { mentions }: PreparedMessage,
  conversation: ConversationRef,
  recipients: RecipientsByFlags,
): Promise<number[]> {
  const { userIds, groupMemberIds } = mentions
  if (userIds.size === 0 && groupMemberIds.size === 0) return []
  const recipientIds = recipientIdsOf(recipients)
  const named = [...userIds].filter((id) => mayReceive(id, conversation, recipientIds))
  const ids = [...new Set(named).union(groupMemberIds.intersection(recipientIds))]
  const bots = await tx.db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', idsIn(tx.db.dialect, JSON.stringify(ids)))
    .where('botType', '=', BotType.outgoingWebhook)
    .where('deactivatedAt', 'is', null)
    .execute()
  return bots.map(({ id }) => id)
}
