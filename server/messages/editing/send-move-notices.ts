import type { Channel } from '#channels/channel.ts'
import { topicKey } from '#channels/topic.ts'
import { requireSystemBot } from '#people/bots.ts'
import type { Actor } from '#people/users.ts'
import { isResolutionChange, isResolved } from '#rules/topics.ts'
import { batches } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { ChannelTopic } from '../message.ts'
import { channelMessageUrl, silentMention, topicLink } from '../notice-markdown.ts'
import { prepareTopicNotice } from '../prepare-message.ts'
import { sendMessage } from '../send-message.ts'
import { hasMessagesFor } from '../sending/follow-topics.ts'
import { deleteMessages } from './delete-messages.ts'
import { changesChannel, type Move } from './edit-access.ts'
import { lockMessage } from './edit-rows.ts'

/**
 * The maximum age of a notice, in seconds, at which the opposite change deletes it instead of sending another notice.
 */
const UNDO_PERIOD = 60

const noticeEnding = (isResolved: boolean) => ` has marked this topic as ${isResolved ? '' : 'un'}resolved.`

/**
 * Sends a notice that the topic was resolved or unresolved. The notice is unread only for users who sent or reacted to
 * messages in the topic. If the last message is the opposite notice and at most a minute old, it is deleted instead.
 */
async function sendResolutionNotice(
  tx: Transaction,
  actor: Actor,
  channelTopic: ChannelTopic,
  messageIds: readonly number[],
): Promise<void> {
  if (await deleteOppositeNotice(tx, actor, channelTopic)) return
  const participants = await findParticipants(tx.db, messageIds)
  const content = `${silentMention(actor)}${noticeEnding(isResolved(channelTopic.topic))}`
  const notice = await prepareTopicNotice(tx.db, actor.realm, { ...channelTopic, content })
  await sendMessage(tx, { ...notice, isUnreadFor: (userId) => participants.has(userId) })
}

async function deleteOppositeNotice(tx: Transaction, actor: Actor, channelTopic: ChannelTopic): Promise<boolean> {
  const last = await tx.db
    .selectFrom('messages')
    .select(['id', 'topic', 'senderId', 'content', 'sentAt'])
    .where('channelId', '=', channelTopic.channel.id)
    .where('topicKey', '=', topicKey(channelTopic.topic))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined || tx.now - last.sentAt > UNDO_PERIOD) return false
  if (!last.content.endsWith(noticeEnding(!isResolved(channelTopic.topic)))) return false
  if (last.senderId !== (await requireSystemBot(tx.db, 'notification-bot')).id) return false
  await lockMessage(tx, last.id)
  await deleteMessages(tx, actor.realmId, [last], channelTopic)
  return true
}

async function findParticipants(db: Db, messageIds: readonly number[]): Promise<Set<number>> {
  const found = new Set<number>()
  for (const batch of batches(messageIds)) {
    const authors = db.selectFrom('messages').select('senderId as id').where('id', 'in', batch)
    const reactors = db.selectFrom('reactions').select('userId as id').where('messageId', 'in', batch)
    for (const { id } of await authors.union(reactors).execute()) found.add(id)
  }
  return found
}

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
  await sendMessage(tx, notice)
}

/** Returns a link to the topic, or '' if readers in `readIn` may not see its channel. */
function topicLinkFor({ channel, topic }: ChannelTopic, readIn: Channel): string {
  if (channel.isPrivate && channel.id !== readIn.id) return ''
  return topicLink(channel, topic)
}
