import type { Channel } from '#channels/channel.ts'
import { findChannel } from '#channels/queries.ts'
import { channelLinkMarkdown } from '#messages/sending/notice-markdown.ts'
import { prepareTopicNotice, silentMention } from '#messages/sending/prepare-notices.ts'
import { saveMessage } from '#messages/sending/send-message.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'

const TOPIC = 'new channels'

/**
 * Posts a message by the notification bot about the channels that the actor created. The message is in the
 * organization's channel for such announcements, and unread for everyone but the actor. Private channels are not
 * announced. Does nothing if the organization has no such channel.
 */
export async function announceChannels(tx: Transaction, actor: Actor, created: readonly Channel[]): Promise<void> {
  const links = created.filter((channel) => !channel.isPrivate).map(channelLinkMarkdown)
  if (links.length === 0) return
  const { new_stream_announcements_stream_id: id } = actor.realm.settings
  const channel = await findChannel(tx.db, actor.realmId, id)
  if (channel?.archivedAt !== null) return
  const announced = links.length === 1 ? `a new channel ${links[0]}` : `the following channels: ${links.join(', ')}`
  const content = `${silentMention(actor)} created ${announced}.`
  const notice = await prepareTopicNotice(tx.db, actor.realm, { channel, topic: TOPIC, content })
  await saveMessage(tx, { ...notice, isUnreadFor: (userId) => userId !== actor.id })
}
