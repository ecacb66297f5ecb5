import type { Transaction } from '../../platform/storage/storage.ts'
import { isReceivedOnly } from '../access.ts'
import { watchClaims } from '../attachments/claim.ts'
import { findHearerIds, findHearersOfEach, type Surroundings } from '../audience.ts'
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
  place: Surroundings,
): Promise<void> {
  if (messages.length === 0) return
  const ids = messages.map(({ id }) => id)
  const told = await whoIsTold(tx, messages, place)
  const releaseAttachments = await watchClaims(tx, ids)
  await tx.deleteFrom('userMessages').where('messageId', 'in', ids).execute()
  await tx.deleteFrom('messages').where('id', 'in', ids).execute()
  for (const { ended, hearers } of told) tx.emit(realmId, eventOf(ended, place), hearers)
  await releaseAttachments()
}

/** The messages by what one event tells of: those of one topic that the same people may know of. */
async function whoIsTold(tx: Transaction, messages: readonly Ended[], place: Surroundings) {
  if (place.channel === null || !isReceivedOnly(place.channel)) {
    const ids = messages.map(({ id }) => id)
    const hearers = await findHearerIds(tx, ids, place)
    return inTopics(messages).map((ended) => ({ ended, hearers }))
  }
  const hearersOf = await findHearersOfEach(
    tx,
    messages.map(({ id }) => id),
    place,
  )
  return inTopics(messages).flatMap((inTopic) => {
    const alike = Map.groupBy(inTopic, ({ id }) => (hearersOf.get(id) ?? []).join())
    return [...alike.values()].map((ended) => ({ ended, hearers: hearersOf.get((ended[0] as Ended).id) ?? [] }))
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
