import { topicKey } from '#channels/topic.ts'
import type { Transaction } from '#storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { prepareClaimRelease } from '../attachments/claim.ts'
import { type ChannelOrDirect, findAudienceOfEachMessage, findMessageAudienceIds } from '../audience.ts'
import { deletionEvent } from '../events.ts'
import type { Message } from '../message.ts'

type DeletedMessage = Pick<Message, 'id' | 'topic'>

/**
 * Deletes messages of one conversation with everything that belongs to them, and emits one event for each topic. Does
 * not check permissions. The caller must have locked the messages and pass them in ascending order of ids. The user who
 * deletes them, if any, gets the events without a subscription, too.
 */
export async function deleteMessages(
  tx: Transaction,
  realmId: number,
  messages: readonly DeletedMessage[],
  conversation: ChannelOrDirect,
  actorId: number | null = null,
): Promise<void> {
  if (messages.length === 0) return
  const ids = messages.map(({ id }) => id)
  const deletions = await groupByEvent(tx, messages, conversation)
  const releaseAttachments = await prepareClaimRelease(tx, ids)
  await tx.deleteFrom('userMessages').where('messageId', 'in', ids).execute()
  await tx.deleteFrom('messages').where('id', 'in', ids).execute()
  const others = actorId === null ? [] : [actorId]
  for (const { deleted, audience } of deletions)
    tx.emit(realmId, eventOf(deleted, conversation), new Set([...audience, ...others]))
  await releaseAttachments()
}

/** Groups the messages by event. Messages of one topic with the same audience share an event. */
async function groupByEvent(tx: Transaction, messages: readonly DeletedMessage[], conversation: ChannelOrDirect) {
  const { channel } = conversation
  if (channel === null || !hasProtectedHistory(channel)) {
    const ids = messages.map(({ id }) => id)
    const audience = await findMessageAudienceIds(tx, ids, conversation)
    return groupByTopic(messages).map((deleted) => ({ deleted, audience }))
  }
  const audienceByMessage = await findAudienceOfEachMessage(
    tx,
    messages.map(({ id }) => id),
    channel,
  )
  return groupByTopic(messages).flatMap((inTopic) => {
    const withSameAudience = Map.groupBy(inTopic, ({ id }) => (audienceByMessage.get(id) ?? []).join())
    return [...withSameAudience.values()].map((deleted) => ({
      deleted,
      audience: audienceByMessage.get((deleted[0] as DeletedMessage).id) ?? [],
    }))
  })
}

const groupByTopic = (messages: readonly DeletedMessage[]): DeletedMessage[][] => [
  ...Map.groupBy(messages, ({ topic }) => topicKey(topic)).values(),
]

function eventOf(deleted: readonly DeletedMessage[], { channel }: ChannelOrDirect) {
  const ids = deleted.map(({ id }) => id)
  const topic = deleted.at(-1)?.topic ?? ''
  return deletionEvent(ids, channel === null ? null : { channelId: channel.id, topic })
}
