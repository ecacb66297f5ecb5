import type { Channel } from '../../channels/channel.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import type { ChannelTopic } from '../conversation.ts'
import { channelMessageUrl } from '../message-url.ts'
import { hasMessagesFor } from '../sending/automatic-policies.ts'
import { topicLink } from '../sending/names.ts'
import { prepareThreadNotice, silentMention } from '../sending/notices.ts'
import { saveMessage } from '../sending/send-message.ts'
import { isResolutionChange, topicKey } from '../topic.ts'
import { changesChannel, type Move } from './move.ts'
import { sendResolutionNotice } from './resolution-notices.ts'

type Moved = {
  /** The message that was edited, and all that moved with it. */
  messageId: number
  messageIds: readonly number[]
  /** Whether there were messages in the new place before, that the actor may read. */
  isMerge: boolean
}

/** Says in the threads what happened, as far as it is wanted; a resolved or reopened topic always says so. */
export async function sendMoveNotices(tx: Transaction, actor: Actor, move: Move, moved: Moved): Promise<void> {
  const { from, to } = move
  const { messageIds } = moved
  if (!changesChannel(move) && isResolutionChange(from.topic, to.topic))
    return sendResolutionNotice(tx, actor, to, messageIds)

  const who = silentMention(actor)
  const isSameTopic = !changesChannel(move) && topicKey(from.topic) === topicKey(to.topic)
  const isWhole = move.mode === 'change_all' || !(isSameTopic || (await hasMessagesFor(tx.db, actor.id, from)))
  const isNewTopic = isWhole && (isSameTopic || !moved.isMerge)
  const count = messageIds.length
  if (move.notifiesNewTopic) {
    const link = `[A message](${channelMessageUrl(actor.realm, tx.db.settings.EXTERNAL_URL, to, moved.messageId)})`
    const what = isNewTopic ? 'This topic was' : count === 1 ? `${link} was` : `${count} messages were`
    const source = placeName(from, to.channel)
    await leaveNotice(tx, actor, to, `${what} moved here${source && ` from ${source}`} by ${who}.`)
  }
  if (move.notifiesOldTopic) {
    const what = count === 1 ? 'A message was moved from this topic' : `${count} messages were moved from this topic`
    const target = placeName(to, from.channel)
    const whither = target ? `to ${target}` : 'elsewhere'
    await leaveNotice(tx, actor, from, `${isWhole ? 'This topic was moved' : what} ${whither} by ${who}.`)
  }
}

async function leaveNotice(tx: Transaction, actor: Actor, channelTopic: ChannelTopic, content: string): Promise<void> {
  const notice = await prepareThreadNotice(tx.db, actor.realm, { ...channelTopic, content })
  await saveMessage(tx, notice)
}

/** A link to the thread; '' where those who read it may not know of its channel. */
function placeName({ channel, topic }: ChannelTopic, readIn: Channel): string {
  if (channel.isPrivate && channel.id !== readIn.id) return ''
  return topicLink(channel, topic)
}
