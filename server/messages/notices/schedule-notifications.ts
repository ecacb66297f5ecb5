import type { MessageTopic } from '#channels/topic.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { Flag, MENTION_FLAGS } from '../flags/flag.ts'
import type { RecipientsByFlags } from '../sending/deliver.ts'
import { savePushNotices } from './push-notice-queries.ts'
import { findPushSubscriberIds } from './push-subscription-queries.ts'
import {
  AWAY_AFTER,
  findChannelNotificationUserIds,
  findNotifiableUsers,
  findTopicFollowerIds,
  type NotifiableUser,
  savePendingMails,
} from './queries.ts'
import { type NotificationMedium, wantsNotification } from './wants-notification.ts'

/** The message to notify about. The user `senderId` sent it or added a mention to it, and gets no notification. */
type SentMessage = { realm: Realm; messageId: number; senderId: number; topicRef: MessageTopic }

/** Seconds that an online user has to read a message before their other browsers notify them. */
const ONLINE_DELAY = 10

/**
 * Schedules notifications for the recipients who want them. Users who are away get an email after their batching
 * period, and a push notification at once. No statement runs if no user qualifies.
 */
export async function scheduleNotifications(
  tx: Transaction,
  sent: SentMessage,
  recipients: RecipientsByFlags,
): Promise<void> {
  const flagsByUser = await findCandidates(tx, sent, recipients)
  if (flagsByUser.size === 0) return
  const { messageId, realm, topicRef } = sent
  const users = await findNotifiableUsers(tx.db, [...flagsByUser.keys()], topicRef, tx.now)
  const wants = (medium: NotificationMedium, user: NotifiableUser) =>
    wantsNotification(medium, user, flagsByUser.get(user.id) ?? 0, { isDirect: topicRef === null, now: tx.now })
  const away = new Set(users.filter((user) => isAway(user, realm, tx.now)))
  savePendingMails(
    tx,
    users
      .filter((user) => away.has(user) && wants('mail', user))
      .map(({ id, settings }) => ({
        userId: id,
        messageId,
        dueAt: tx.now + settings.email_notifications_batching_period_seconds,
      })),
  )
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

/** Returns the flags of the users who may want a notification, by user id. */
async function findCandidates(
  tx: Transaction,
  { senderId, topicRef }: SentMessage,
  recipients: RecipientsByFlags,
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
