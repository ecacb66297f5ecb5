import { findActiveUsers, findChannelSubscriberIds } from '#channels/audience-queries.ts'
import { findMembershipScope } from '#groups/membership.ts'
import { topicLinks } from '#markdown/links/topic-links.ts'
import type { Actor } from '#people/users/user.ts'
import { findLinkifiers } from '#realms/linkifier-queries.ts'
import { hasContentAccess } from '#rules/channel-rules.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findMessageAudience, findMessageAudienceIds } from '../audience.ts'
import { deletionEvent } from '../events.ts'
import type { Message } from '../message.ts'
import { hasMessagesFor } from '../sending/follow-topics.ts'
import type { EditEntry } from './edit-history.ts'
import { saveHistoryEntry, saveMovedTopic } from './edit-rows.ts'
import { lockMovedMessages } from './movable-messages.ts'
import { changesChannel, type Move } from './move.ts'
import { moveRecords, type Readers } from './move-records.ts'
import { moveTopicPolicies } from './move-topic-policies.ts'
import { sendMoveNotices } from './send-move-notices.ts'
import { emitChannelMove, emitMessageUpdate, moveFields, type UpdateEvent } from './update-event.ts'

type Moving = {
  actor: Actor
  /** The edited message before the edit. */
  message: Message
  move: Move
  /** The history entry of the edited message, without the move. */
  entry: EditEntry
  /** The history entry of the other messages that move, without the move. */
  author: EditEntry
  event: UpdateEvent
}

/**
 * Moves the message and the messages that move with it, emits events to the audiences of both conversations, and sends
 * the requested notices.
 */
export async function moveMessages(
  tx: Transaction,
  { actor, message, move, entry, author, event }: Moving,
): Promise<void> {
  const { from, to } = move
  const ids = await lockMovedMessages(tx, actor, message, move)
  const isOtherChannel = changesChannel(move)
  const oldAudience = new Set(isOtherChannel ? await findMessageAudienceIds(tx, ids, from) : [])
  const isMerge = await hasMessagesFor(tx.db, actor.id, to)

  await saveMovedTopic(tx, ids, move)
  await saveHistoryEntry(tx, [message.id], { ...entry, ...moveEntry(move) })
  const others = ids.filter((id) => id !== message.id)
  if (others.length > 0) await saveHistoryEntry(tx, others, { ...author, ...moveEntry(move) })
  const readers = isOtherChannel ? await findReaders(tx.db, actor, move, tx.now) : null
  if (readers !== null) await moveRecords(tx, actor.realmId, ids, to.channel, readers)
  await moveTopicPolicies(tx, actor, message, move, { isMerge, readerIds: readers?.all ?? null })

  const { compiled } = await findLinkifiers(tx.db, actor.realmId)
  const newAudience = await findMessageAudience(tx, message.id, to)
  const newIds = new Set([...newAudience.values()].flat())
  const { readerIds = [], lostIds = [] } = Object.groupBy(oldAudience.difference(newIds), (id) =>
    readers?.all.has(id) ? 'readerIds' : 'lostIds',
  )
  const audience = new Map(newAudience).set(null, [...(newAudience.get(null) ?? []), ...readerIds])
  Object.assign(event, moveFields(move, ids, topicLinks(to.topic, compiled)))
  if (isOtherChannel) emitChannelMove(tx, actor.realmId, event, audience, oldAudience)
  else emitMessageUpdate(tx, actor.realmId, event, audience)
  const channelTopic = { channelId: from.channel.id, topic: from.topic }
  tx.emit(actor.realmId, deletionEvent(ids, channelTopic), lostIds)
  await sendMoveNotices(tx, actor, move, { messageId: message.id, messageIds: ids, isMerge })
}

async function findReaders(db: Db, actor: Actor, { to }: Move, now: number): Promise<Readers> {
  const scope = await findMembershipScope(db, actor, now)
  const subscribed = new Set(await findChannelSubscriberIds(db, to.channel.id))
  const { all } = await findActiveUsers(db, actor.realmId)
  const readers = all.filter((person) => hasContentAccess(scope, person, to.channel, subscribed.has(person.id)))
  return { all: new Set(readers.map((person) => person.id)), subscribed }
}

function moveEntry(move: Move): Partial<EditEntry> {
  const { from, to } = move
  return {
    ...(from.topic !== to.topic && { prev_topic: from.topic, topic: to.topic }),
    ...(changesChannel(move) && { prev_stream: from.channel.id, stream: to.channel.id }),
  }
}
