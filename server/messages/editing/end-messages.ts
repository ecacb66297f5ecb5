import type { Transaction } from '../../platform/storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { prepareClaimRelease } from '../attachments/claim.ts'
import { findAudienceOfEachMessage, findMessageAudienceIds, type Surroundings } from '../audience.ts'
import { deletionEvent } from '../events.ts'
import type { Message } from '../message.ts'
import { topicKey } from '../topic.ts'

type Ended = Pick<Message, 'id' | 'topic'>

/**
 * Takes messages of one place away from all who have them, with all that hangs on them, and tells these people by one
 * event for each topic; nobody's permission is asked. The messages are locked, and given in the order of their ids.
 */
export async function endMessages(
  tx: Transaction,
  realmId: number,
  messages: readonly Ended[],
  conversation: Surroundings,
): Promise<void> {
  if (messages.length === 0) return
  const ids = messages.map(({ id }) => id)
  const told = await whoIsTold(tx, messages, conversation)
  const releaseAttachments = await prepareClaimRelease(tx, ids)
  await tx.deleteFrom('userMessages').where('messageId', 'in', ids).execute()
  await tx.deleteFrom('messages').where('id', 'in', ids).execute()
  for (const { ended, audience } of told) tx.emit(realmId, eventOf(ended, conversation), audience)
  await releaseAttachments()
}

/** The messages by what one event tells of: those of one topic that the same people may know of. */
async function whoIsTold(tx: Transaction, messages: readonly Ended[], conversation: Surroundings) {
  if (conversation.channel === null || !hasProtectedHistory(conversation.channel)) {
    const ids = messages.map(({ id }) => id)
    const audience = await findMessageAudienceIds(tx, ids, conversation)
    return inTopics(messages).map((ended) => ({ ended, audience }))
  }
  const hearersOf = await findAudienceOfEachMessage(
    tx,
    messages.map(({ id }) => id),
    conversation,
  )
  return inTopics(messages).flatMap((inTopic) => {
    const alike = Map.groupBy(inTopic, ({ id }) => (hearersOf.get(id) ?? []).join())
    return [...alike.values()].map((ended) => ({ ended, audience: hearersOf.get((ended[0] as Ended).id) ?? [] }))
  })
}

const inTopics = (messages: readonly Ended[]): Ended[][] => [
  ...Map.groupBy(messages, ({ topic }) => topicKey(topic)).values(),
]

function eventOf(ended: readonly Ended[], { channel }: Surroundings) {
  const ids = ended.map(({ id }) => id)
  const topic = ended.at(-1)?.topic ?? ''
  return deletionEvent(ids, channel === null ? null : { channelId: channel.id, topic })
}
