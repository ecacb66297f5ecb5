import { z } from 'zod'
import type { Channel } from '#channels/channel.ts'
import { groupByChannels, type UserChannelPair } from '#channels/subscriptions.ts'
import { findNonViewerIds } from '#groups/viewer.ts'
import { anyInteger } from '#http/params.ts'
import { channelLinkMarkdown } from '#messages/notice-markdown.ts'
import { prepareNotices } from '#messages/prepare-message.ts'
import { sendMessages } from '#messages/send-message.ts'
import { type Actor, isBot, UNKNOWN_USER_NAME } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'

// Messages to users whose subscriptions another user changed: one message to each, whatever the number of channels.

/** The users whose subscriptions a request changes, by id or by API email address. */
export const principalsParam = z.union([z.array(anyInteger), z.array(z.string())]).optional()

/**
 * A message about changed subscriptions. `mention` is the Markdown that mentions the actor. If `isMailed` is true,
 * offline recipients also get an email.
 */
type ChangeNotice = {
  mention: string
  write: (who: string, channels: readonly Channel[]) => string
  isMailed: boolean
}

/**
 * Sends each user except the actor and bots one direct message about all of their channels. Recipients who may not see
 * the actor do not learn who made the change.
 */
export async function notifyOthers(
  tx: Transaction,
  actor: Actor,
  changed: readonly UserChannelPair[],
  { mention, write, isMailed }: ChangeNotice,
): Promise<void> {
  const notified = changed.filter(({ user }) => user.id !== actor.id && !isBot(user))
  const recipients = notified.map(({ user }) => user)
  const nonViewerIds = await findNonViewerIds(tx.db, actor.realm, actor, recipients, tx.now)
  for (const [isActorHidden, pairs] of Map.groupBy(notified, ({ user }) => nonViewerIds.has(user.id))) {
    for (const { userIds, channels } of groupByChannels(pairs)) {
      const content = write(isActorHidden ? UNKNOWN_USER_NAME : mention, channels)
      const notices = await prepareNotices(tx.db, { recipientIds: userIds, content })
      await sendMessages(
        tx,
        notices.map((notice) => ({ ...notice, skipsMissedMail: !isMailed })),
      )
    }
  }
}

/** Returns the links to the channels as the end of a sentence. */
export function channelList(channels: readonly Channel[]): string {
  const names = channels.map(channelLinkMarkdown)
  return names.length === 1 ? `the channel ${names[0]}.` : `these channels:\n\n* ${names.join('\n* ')}`
}
