import { invalidChannelId, requireReadableChannel } from '#channels/access.ts'
import { viewerOf } from '#groups/viewer.ts'
import { requireAdministrator } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { type MessagesQuery, messagesOfTopic } from '../topic-access.ts'
import { deleteMessages } from './delete-messages.ts'

/**
 * The maximum number of messages that one transaction deletes. Other writes can run between two of these transactions.
 */
export const TOPIC_BATCH = 200

/**
 * Deletes messages of the topic for all users: the newest ones that the actor may read, at most `TOPIC_BATCH`. Returns
 * true if there may be more.
 */
export async function deleteFromTopic(
  tx: Transaction,
  actor: Actor,
  channelId: number,
  topic: string,
): Promise<boolean> {
  requireAdministrator(actor)
  const channel = await requireReadableChannel(viewerOf(tx.db, actor, tx.now), channelId)
  if (channel.archivedAt !== null) throw invalidChannelId()
  const inTopic = messagesOfTopic(tx.db, actor, channel, topic)
  const newest = await findNewestIds(inTopic)
  const isMore = newest.length === TOPIC_BATCH
  const messages = await lockMessages(inTopic, newest)
  await deleteMessages(tx, actor.realmId, messages, { channel }, actor.id)
  return isMore
}

async function findNewestIds(inTopic: MessagesQuery): Promise<number[]> {
  const rows = await inTopic.select('id').orderBy('id', 'desc').limit(TOPIC_BATCH).execute()
  return rows.map((row) => row.id)
}

/**
 * Locks the messages that are still in the topic. It locks them in ascending order, like all transactions that lock
 * messages.
 */
async function lockMessages(inTopic: MessagesQuery, ids: readonly number[]): Promise<{ id: number; topic: string }[]> {
  return inTopic.select(['id', 'topic']).where('id', 'in', ids).orderBy('id').forUpdate().execute()
}
