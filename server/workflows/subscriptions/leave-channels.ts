import type { Channel } from '#channels/channel.ts'
import type { Principals } from '#channels/subscriptions/principals.ts'
import { type UnsubscribeResult, unsubscribe } from '#channels/subscriptions/unsubscribe.ts'
import { markChannelsRead } from '#messages/flags/mark-channels-read.ts'
import { silentMention } from '#messages/sending/prepare-notices.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { channelList, notifyOthers } from './notify-others.ts'

/**
 * Unsubscribes users and marks their unread messages in the channels as read. Notifies users whom someone else removed,
 * without sending emails.
 */
export async function leaveChannels(
  tx: Transaction,
  actor: Actor,
  names: readonly string[],
  principals?: Principals,
): Promise<UnsubscribeResult> {
  const result = await unsubscribe(tx, actor, names, principals)
  const { removed } = result
  const left = removed.map(({ user, channel }) => ({ userId: user.id, channelId: channel.id }))
  await markChannelsRead(tx, actor.realmId, left)
  if (actor.realm.settings.send_channel_removal_notices) {
    await notifyOthers(tx, actor, removed, { mention: silentMention(actor), write: removalNotice, isMailed: false })
  }
  return result
}

const removalNotice = (who: string, channels: readonly Channel[]) =>
  `${who} unsubscribed you from ${channelList(channels)}`
