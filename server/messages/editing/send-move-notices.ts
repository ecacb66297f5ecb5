import type { Channel } from '#channels/channel.ts'
import { isResolutionChange, topicKey } from '#channels/topic.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ChannelTopic } from '../conversation.ts'
import { channelMessageUrl } from '../message-url.ts'
import { hasMessagesFor } from '../sending/follow-topics.ts'
import { topicLink } from '../sending/notice-markdown.ts'
import { prepareTopicNotice, silentMention } from '../sending/prepare-notices.ts'
import { saveMessage } from '../sending/send-message.ts'
import { changesChannel, type Move } from './move.ts'
import { sendResolutionNotice } from './send-resolution-notice.ts'

type Moved = {
  /** The edited message, and all messages that moved. */
  messageId: number
  messageIds: readonly number[]
  /** True if the new topic already had messages that the actor may read. */
  isMerge: boolean
}

/**
 * Sends the requested notices to the old and new topic. Resolving or unresolving a topic sends a notice of its own
 * instead.
 */
export async function sendMoveNotices(tx: Transaction, actor: Actor, move: Move, moved: Moved): Promise<void> {
  const { from, to } = move
  const { messageIds } = moved
  if (!changesChannel(move) && isResolutionChange(from.topic, to.topic))
    return sendResolutionNotice(tx, actor, to, messageIds)

  const mover = silentMention(actor)
  const isSameTopic = !changesChannel(move) && topicKey(from.topic) === topicKey(to.topic)
  const isWhole = move.mode === 'change_all' || !(isSameTopic || (await hasMessagesFor(tx.db, actor.id, from)))
  const isNewTopic = isWhole && (isSameTopic || !moved.isMerge)
  const count = messageIds.length
  if (move.notifiesNewTopic) {
    const link = `[A message](${channelMessageUrl(actor.realm, tx.db.settings.EXTERNAL_URL, to, moved.messageId)})`
    const subject = isNewTopic ? 'This topic was' : count === 1 ? `${link} was` : `${count} messages were`
    const source = topicLinkFor(from, to.channel)
    await sendNotice(tx, actor, to, `${subject} moved here${source && ` from ${source}`} by ${mover}.`)
  }
  if (move.notifiesOldTopic) {
    const subject = count === 1 ? 'A message was moved from this topic' : `${count} messages were moved from this topic`
    const target = topicLinkFor(to, from.channel)
    const destination = target ? `to ${target}` : 'elsewhere'
    await sendNotice(tx, actor, from, `${isWhole ? 'This topic was moved' : subject} ${destination} by ${mover}.`)
  }
}

async function sendNotice(tx: Transaction, actor: Actor, channelTopic: ChannelTopic, content: string): Promise<void> {
  const notice = await prepareTopicNotice(tx.db, actor.realm, { ...channelTopic, content })
  await saveMessage(tx, notice)
}

/** Returns a link to the topic, or '' if readers in `readIn` may not see its channel. */
function topicLinkFor({ channel, topic }: ChannelTopic, readIn: Channel): string {
  if (channel.isPrivate && channel.id !== readIn.id) return ''
  return topicLink(channel, topic)
}
