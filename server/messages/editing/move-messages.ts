import { hasContentAccess } from '../../channels/access.ts'
import { findActiveUsers, findChannelSubscriberIds } from '../../channels/audience-queries.ts'
import { findMembershipScope } from '../../groups/membership.ts'
import { findLinkifiers } from '../../organizations/realms/linkifier-queries.ts'
import type { Actor } from '../../people/users/user.ts'
import { topicLinks } from '../../platform/markdown/links/topic-links.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { findMessageAudience, findMessageAudienceIds } from '../audience.ts'
import { deletionEvent } from '../events.ts'
import type { Message } from '../message.ts'
import { hasMessagesFor } from '../sending/automatic-policies.ts'
import type { EditEntry } from './edit-history.ts'
import { saveEntry, savePlace } from './edit-rows.ts'
import { lockMoving } from './movable-messages.ts'
import { changesChannel, type Move } from './move.ts'
import { sendMoveNotices } from './move-notices.ts'
import { moveRecords, type Readers } from './move-records.ts'
import { takePoliciesAlong } from './take-policies-along.ts'
import { emitMoveAway, emitUpdate, moveFields, type UpdateEvent } from './update-event.ts'

type Moving = {
  actor: Actor
  /** The message that was edited, as it was. */
  message: Message
  move: Move
  /** What the history of that message gains beside the move; all others gain `author` and the move. */
  entry: EditEntry
  author: EditEntry
  event: UpdateEvent
}

/** Moves the message and those that go with it, tells all who see either place, and leaves notices where they are wanted. */
export async function moveMessages(
  tx: Transaction,
  { actor, message, move, entry, author, event }: Moving,
): Promise<void> {
  const { from, to } = move
  const ids = await lockMoving(tx, actor, message, move)
  const isElsewhere = changesChannel(move)
  const before = isElsewhere ? await findMessageAudienceIds(tx, ids, from) : new Set<number>()
  const isMerge = await hasMessagesFor(tx.db, actor.id, to)

  await savePlace(tx, ids, move)
  await saveEntry(tx, [message.id], { ...entry, ...movePart(move) })
  const others = ids.filter((id) => id !== message.id)
  if (others.length > 0) await saveEntry(tx, others, { ...author, ...movePart(move) })
  const readers = isElsewhere ? await findReaders(tx.db, actor, move, tx.now) : null
  if (readers !== null) await moveRecords(tx, actor.realmId, ids, to.channel, readers)
  await takePoliciesAlong(tx, actor, message, move, { isMerge, readerIds: readers?.all ?? null })

  const { compiled } = await findLinkifiers(tx.db, actor.realmId)
  const audience = await findMessageAudience(tx, message.id, to)
  const gone = [...before].filter((id) => !audience.has(id))
  for (const id of gone) if (readers?.all.has(id)) audience.set(id, null)
  Object.assign(event, moveFields(move, ids, topicLinks(to.topic, compiled)))
  if (isElsewhere) emitMoveAway(tx, actor.realmId, event, audience, before)
  else emitUpdate(tx, actor.realmId, event, audience)
  const channelTopic = { channelId: from.channel.id, topic: from.topic }
  tx.emit(
    actor.realmId,
    deletionEvent(ids, channelTopic),
    gone.filter((id) => !audience.has(id)),
  )
  await sendMoveNotices(tx, actor, move, { messageId: message.id, messageIds: ids, isMerge })
}

async function findReaders(db: Db, actor: Actor, { to }: Move, now: number): Promise<Readers> {
  const scope = await findMembershipScope(db, actor, now)
  const subscribed = new Set(await findChannelSubscriberIds(db, to.channel.id))
  const { all } = await findActiveUsers(db, actor.realmId)
  const readers = all.filter((person) => hasContentAccess(scope, person, to.channel, subscribed.has(person.id)))
  return { all: new Set(readers.map((person) => person.id)), subscribed }
}

function movePart(move: Move): Partial<EditEntry> {
  const { from, to } = move
  return {
    ...(from.topic !== to.topic && { prev_topic: from.topic, topic: to.topic }),
    ...(changesChannel(move) && { prev_stream: from.channel.id, stream: to.channel.id }),
  }
}
