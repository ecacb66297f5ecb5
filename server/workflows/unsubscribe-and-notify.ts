import { z } from 'zod'
import { channelDoesNotExist, type Principals } from '#channels/access.ts'
import { type Channel, channelNameCharacter, channelNameEmpty, channelNameTooLong } from '#channels/channel.ts'
import type { UserChannelPair } from '#channels/subscriptions.ts'
import { type UnsubscribeResult, unsubscribe } from '#channels/unsubscribe.ts'
import { endpoint } from '#http/endpoint.ts'
import { markChannelsRead } from '#messages/mark-read.ts'
import { silentMention } from '#messages/notice-markdown.ts'
import { insufficientPermission, noSuchUser, userDeactivated } from '#people/access.ts'
import type { Actor } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { channelList, notifyOthers, principalsParam } from './subscriptions-of-others.ts'

// The call that unsubscribes users from channels: channels/unsubscribe.ts does it, and here their unread messages are
// marked as read, and users whom another user unsubscribed are notified.

export const unsubscribeResultFields = {
  removed: z.array(z.string()).describe('Names of the channels that were left, once for each user who left.'),
  not_removed: z
    .array(z.string())
    .describe('Names of the channels that users were not subscribed to, once for each user.'),
}

export function toUnsubscribeResultJson({ removed, notRemoved }: UnsubscribeResult): {
  removed: string[]
  not_removed: string[]
} {
  return { removed: removed.map(nameOf), not_removed: notRemoved.map(nameOf) }
}

const nameOf = ({ channel }: UserChannelPair) => channel.name

/**
 * Unsubscribes users and marks their unread messages in the channels as read. Notifies users whom someone else removed,
 * without sending emails.
 */
export async function unsubscribeAndNotify(
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

export const unsubscribeEndpoint = endpoint({
  route: 'DELETE /users/me/subscriptions',
  summary: 'Unsubscribe from channels',
  description:
    'Everyone can leave channels and remove their own bots. Administrators can remove any user, and so can ' +
    "users named in a channel's settings, if every channel of the request permits it. If anything is refused, " +
    'nothing is changed.',
  who: 'user',
  params: {
    subscriptions: z.array(z.string()).describe('Names of the channels to leave.'),
    principals: principalsParam.describe(
      'The users to unsubscribe: user ids or API email addresses. Yourself by default.',
    ),
  },
  returns: unsubscribeResultFields,
  refuses: [
    noSuchUser,
    userDeactivated,
    channelNameEmpty,
    channelNameTooLong,
    channelNameCharacter,
    insufficientPermission,
    channelDoesNotExist,
  ],
  async handle({ transaction, actor }, { subscriptions, principals }) {
    const result = await transaction((tx) => unsubscribeAndNotify(tx, actor, subscriptions, principals))
    return toUnsubscribeResultJson(result)
  },
})
