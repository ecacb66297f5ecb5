import { findChannelsById } from '#channels/queries.ts'
import { subscriptionChanged } from '#channels/subscriptions/events.ts'
import { findSubscriptions, saveNotification } from '#channels/subscriptions/queries.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { changeUserSettings, type PresenceBoards } from './change-settings.ts'

/**
 * Disables all settings that make the server email the user about missed messages, and emits the changes to the user's
 * clients.
 */
export async function disableMissedMessageMail(
  tx: Transaction,
  account: Actor,
  presence: PresenceBoards,
): Promise<void> {
  const disabled = {
    enable_offline_email_notifications: false,
    enable_stream_email_notifications: false,
    enable_followed_topic_email_notifications: false,
  }
  await changeUserSettings(tx, account, disabled, presence)
  const subscriptions = await findSubscriptions(tx.db, account.id)
  const withMail = subscriptions.filter(({ notifications }) => notifications.email_notifications === true)
  const ids = withMail.map(({ channelId }) => channelId)
  for (const { id, archivedAt } of await findChannelsById(tx.db, account.realmId, ids)) {
    await saveNotification(tx, account.id, id, 'email_notifications', false)
    const channel = { id, isArchived: archivedAt !== null }
    tx.emit(account.realmId, subscriptionChanged(channel, 'email_notifications', false), [account.id])
  }
}
