import { savePushNotices } from '../../delivery/web-push/notices/queries.ts'
import { findPushSubscriberIds } from '../../delivery/web-push/notices/subscription-queries.ts'
import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { Flag, MENTION_FLAGS } from '../flags/flag.ts'
import type { RecipientsByFlags } from '../sending/deliver.ts'
import type { TopicRef } from '../topic.ts'
import {
  AWAY_AFTER,
  findChannelNotificationUserIds,
  findNotifiableUsers,
  findTopicFollowerIds,
  type NotifiableUser,
  savePendingMails,
} from './queries.ts'
import { type NotificationMedium, wantsNotification } from './wants-notification.ts'

/** The message to notify about. `senderId` sent it or added a mention to it, and gets no notification. */
type SentMessage = { realm: Realm; messageId: number; senderId: number; topicRef: TopicRef }

/** Seconds that an online user has to read a message before their other browsers notify them. */
const ONLINE_DELAY = 10

/**
 * Schedules notifications for users who want them. Users who are away get an email after their batching period and a push
 * notification at once. It runs no statement if no user qualifies.
 */
export async function scheduleNotifications(
  tx: Transaction,
  sent: SentMessage,
  receivers: RecipientsByFlags,
): Promise<void> {
  const flagsOf = await findCandidates(tx, sent, receivers)
  if (flagsOf.size === 0) return
  const { messageId, realm, topicRef } = sent
  const readers = await findNotifiableUsers(tx.db, [...flagsOf.keys()], topicRef, tx.now)
  const wants = (medium: NotificationMedium, user: NotifiableUser) =>
    wantsNotification(medium, user, flagsOf.get(user.id) ?? 0, topicRef === null)
  const away = new Set(readers.filter((reader) => isAway(reader, realm, tx.now)))
  savePendingMails(
    tx,
    readers
      .filter((reader) => away.has(reader) && wants('mail', reader))
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
    readers
      .filter((reader) => subscriberIds.has(reader.id) && wants('push', reader))
      .filter((reader) => away.has(reader) || reader.settings.enable_online_push_notifications)
      .map((reader) => ({ userId: reader.id, dueAt: away.has(reader) ? tx.now : tx.now + ONLINE_DELAY })),
  )
}

/** Returns the flags of the users who may want a notification, by user id. */
async function findCandidates(
  tx: Transaction,
  { senderId, topicRef }: SentMessage,
  receivers: RecipientsByFlags,
): Promise<Map<number, number>> {
  const candidates = new Map<number, number>()
  for (const [flags, holders] of receivers) {
    if (flags & Flag.read) continue
    const isForAll = topicRef === null || (flags & MENTION_FLAGS) !== 0
    const [listeners, followers] = isForAll
      ? []
      : [await findChannelNotificationUserIds(tx.db, topicRef.channelId), await findTopicFollowerIds(tx.db, topicRef)]
    for (const userId of holders) {
      if (userId === senderId) continue
      if (isForAll || listeners?.has(userId) || followers?.has(userId)) candidates.set(userId, flags)
    }
  }
  return candidates
}

/** If presence is disabled, a user with a connected client counts as online. */
function isAway({ isConnected, lastActiveAt }: NotifiableUser, realm: Realm, now: number): boolean {
  if (!isConnected) return true
  if (realm.settings.presence_disabled) return false
  return lastActiveAt === null || now - lastActiveAt > AWAY_AFTER
}
