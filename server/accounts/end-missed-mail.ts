import type { Transaction } from '../storage/storage.ts'
import { subscriptionChanged } from '../subscriptions/events.ts'
import { findSubscriptions, saveNotification } from '../subscriptions/queries.ts'
import type { Actor } from '../users/user.ts'
import { changeUserSettings, type Presence } from './change-settings.ts'

/** Switches off all that somebody gets mail about missed messages for, and tells their clients. */
export async function endMissedMail(tx: Transaction, account: Actor, presence: Presence): Promise<void> {
  const off = {
    enable_offline_email_notifications: false,
    enable_stream_email_notifications: false,
    enable_followed_topic_email_notifications: false,
  }
  await changeUserSettings(tx, account, off, presence)
  for (const { channelId, notifications } of await findSubscriptions(tx.db, account.id)) {
    if (notifications.email_notifications !== true) continue
    await saveNotification(tx, account.id, channelId, 'email_notifications', false)
    tx.emit(account.realmId, subscriptionChanged(channelId, 'email_notifications', false), [account.id])
  }
}
