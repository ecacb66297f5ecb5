import { isResolved, topicKey } from '#channels/topic.ts'
import { requireSystemBot } from '#people/users/bots/system-bots.ts'
import type { Actor } from '#people/users/user.ts'
import { batches } from '#storage/batches.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { ChannelTopic } from '../conversation.ts'
import { prepareTopicNotice, silentMention } from '../sending/prepare-notices.ts'
import { saveMessage } from '../sending/send-message.ts'
import { deleteMessages } from './delete-messages.ts'
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
export async function sendResolutionNotice(
  tx: Transaction,
  actor: Actor,
  channelTopic: ChannelTopic,
  messageIds: readonly number[],
): Promise<void> {
  if (await deleteOppositeNotice(tx, actor, channelTopic)) return
  const participants = await findParticipants(tx.db, messageIds)
  const content = `${silentMention(actor)}${noticeEnding(isResolved(channelTopic.topic))}`
  const notice = await prepareTopicNotice(tx.db, actor.realm, { ...channelTopic, content })
  await saveMessage(tx, { ...notice, isUnreadFor: (userId) => participants.has(userId) })
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
