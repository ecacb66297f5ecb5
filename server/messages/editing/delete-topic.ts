import { invalidChannelId, requireReadableChannel } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import type { Db, Transaction } from '../../storage/storage.ts'
import { requireAdministrator } from '../../users/access.ts'
import type { Actor } from '../../users/user.ts'
import { watchClaims } from '../attachments/claim.ts'
import { findHearerIds } from '../audience.ts'
import { deletionEvent } from '../events.ts'
import { messagesOfTopic } from '../topic-access.ts'

/** How many messages of a topic are deleted at once: others write in between. */
export const TOPIC_BATCH = 200

/**
 * Deletes the newest messages of the topic that the actor may read, at most `TOPIC_BATCH` of them, for everybody; returns
 * whether there may be more.
 */
export async function deleteFromTopic(
  tx: Transaction,
  actor: Actor,
  channelId: number,
  topic: string,
): Promise<boolean> {
  requireAdministrator(actor)
  const channel = await requireReadableChannel(tx.db, actor, channelId, tx.now)
  if (channel.archivedAt !== null) throw invalidChannelId()
  const newest = await findNewest(tx.db, actor, channel, topic)
  const [last] = newest
  if (last === undefined) return false

  const ids = newest.map((message) => message.id).reverse()
  const hearers = await findHearerIds(tx, ids, { channel })
  const releaseAttachments = await watchClaims(tx, ids)
  await tx.deleteFrom('messages').where('id', 'in', ids).execute()
  tx.emit(actor.realmId, deletionEvent(ids, { channelId, topic: last.topic }), hearers)
  await releaseAttachments()
  return newest.length === TOPIC_BATCH
}

/** Locks what it finds. */
async function findNewest(db: Db, actor: Actor, channel: Channel, topic: string) {
  return messagesOfTopic(db, actor, channel, topic)
    .select(['id', 'topic'])
    .orderBy('id', 'desc')
    .limit(TOPIC_BATCH)
    .forUpdate()
    .execute()
}
