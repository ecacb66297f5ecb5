import { invalidChannelId, isViewerSubscribed } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannel } from '#channels/queries.ts'
import { isInSetting, type Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import type { Actor } from '#people/users.ts'
import { contentEditProblem, isPast, mayLeaveTopic, mayListMessages, moveLimitFor } from '#rules/permissions.ts'
import { isResolutionChange } from '#rules/topics.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { messagesOfTopic } from '../access.ts'
import type { ChannelTopic, Message } from '../message.ts'
import { mayNotPost } from '../sending/send-access.ts'

/**
 * The messages of a topic that a move can include: only the edited message, the edited message and later ones, or all
 * messages.
 */
export const propagateModes = ['change_one', 'change_later', 'change_all'] as const

export type PropagateMode = (typeof propagateModes)[number]

/** A move of messages to another topic, another channel, or both. */
export type Move = {
  from: ChannelTopic
  to: ChannelTopic
  mode: PropagateMode
  notifiesOldTopic: boolean
  notifiesNewTopic: boolean
}

export function changesChannel({ from, to }: Pick<Move, 'from' | 'to'>): boolean {
  return from.channel.id !== to.channel.id
}

export const editingDisabled = refusal('BAD_REQUEST', 400, 'Your organization has turned off message editing')
export const mayNotEdit = refusal('BAD_REQUEST', 400, "You don't have permission to edit this message")
export const tooLateToEdit = refusal('BAD_REQUEST', 400, 'The time limit for editing this message has passed')
export const mayNotResolve = refusal('BAD_REQUEST', 400, "You don't have permission to resolve topics.")
export const mayNotMove = refusal('BAD_REQUEST', 400, "You don't have permission to move this message")
export const tooLateForTopic = refusal(
  'BAD_REQUEST',
  400,
  "The time limit for editing this message's topic has passed.",
)
export const tooLateForChannel = refusal(
  'BAD_REQUEST',
  400,
  "The time limit for editing this message's channel has passed",
)

/** Seconds that a request may take to arrive. They are added to the time limits for edits and moves. */
const GRACE_PERIOD = 20

const editRefusals = { 'not-sender': mayNotEdit, disabled: editingDisabled, 'too-late': tooLateToEdit }

/** Refuses unless the actor sent the message and the organization still allows editing its content. */
export function requireMayEditContent(actor: Actor, message: Message, now: number): void {
  const { allow_message_editing: isAllowed, message_content_edit_limit_seconds: limit } = actor.realm.settings
  const problem = contentEditProblem(actor.id, message, { isAllowed, limit }, now - GRACE_PERIOD)
  if (problem !== null) throw editRefusals[problem]()
}

/**
 * Refuses unless the actor may give the message this topic. Replacing the empty topic needs no permission, but the time
 * limit applies.
 */
export async function requireMayChangeTopic(viewer: Viewer, message: Message, topic: string): Promise<void> {
  const { actor, now } = viewer
  if (isResolutionChange(message.topic, topic)) {
    if (!(await viewer.has('can_resolve_topics_group'))) throw mayNotResolve()
    return
  }
  const mayMove = await viewer.has('can_move_messages_between_topics_group')
  if (!mayLeaveTopic(message.topic, mayMove)) throw mayNotEdit()
  if (isTooLate(message, moveLimitOf(actor, 'within'), now)) throw tooLateForTopic()
}

/** Returns the destination channel if the actor may move the message there. */
export async function requireDestination(viewer: Viewer, message: Message, channelId: number): Promise<Channel> {
  const { db, actor, now } = viewer
  const channel = await findChannel(db, actor.realmId, channelId)
  const scope = await viewer.scope()
  const isSubscriber = await isViewerSubscribed(viewer, channelId)
  if (channel === null || !mayListMessages(scope, actor, channel, isSubscriber)) throw invalidChannelId()
  if (channel.archivedAt !== null) throw invalidChannelId()
  if (!(await viewer.has('can_move_messages_between_channels_group'))) throw mayNotMove()
  if (!isInSetting(scope, actor, channel.settings.can_send_message_group)) throw mayNotPost()
  if (isTooLate(message, moveLimitOf(actor, 'between'), now)) throw tooLateForChannel()
  return channel
}

/**
 * Returns the maximum age, in seconds, of messages that the actor may move within a channel or between channels; null
 * if there is no maximum.
 */
function moveLimitOf(actor: Actor, kind: 'within' | 'between'): number | null {
  const { settings } = actor.realm
  return moveLimitFor(
    actor,
    kind === 'within'
      ? settings.move_messages_within_stream_limit_seconds
      : settings.move_messages_between_streams_limit_seconds,
  )
}

function isTooLate(message: Pick<Message, 'sentAt'>, limit: number | null, now: number): boolean {
  return isPast(message, limit, now - GRACE_PERIOD)
}

type Extent = { allowed: number; total: number; firstId: number | null }

export const tooOldToMoveAll = refusal(
  'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
  400,
  'You only have permission to move the {allowed}/{total} most recent messages in this topic.',
  {
    extras: ({ allowed, total, firstId }: Extent) => ({
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
      first_message_id_allowed_to_move: firstId,
    }),
  },
)

/**
 * Locks the messages that move, and returns their ids in ascending order. The messages are those that the propagate
 * mode selects and that the actor may read.
 */
export async function lockMovedMessages(
  tx: Transaction,
  actor: Actor,
  message: Message,
  move: Move,
): Promise<number[]> {
  const rows = await selectMovedMessages(tx.db, actor, message, move, true)
  return rows.map((row) => row.id)
}

/** Refuses to move a whole topic if some of its messages are too old for the actor to move. */
export async function requireMovable(viewer: Viewer, message: Message, move: Move): Promise<void> {
  const { db, actor, now } = viewer
  const { from, to, mode } = move
  const isOtherChannel = changesChannel(move)
  if (mode !== 'change_all' || (!isOtherChannel && isResolutionChange(from.topic, to.topic))) return
  const limit = moveLimitOf(actor, isOtherChannel ? 'between' : 'within')
  if (limit === null) return
  const all = await selectMovedMessages(db, actor, message, move)
  const movable = all.filter((row) => !isTooLate(row, limit, now))
  if (movable.length < all.length)
    throw tooOldToMoveAll({ allowed: movable.length, total: all.length, firstId: movable[0]?.id ?? null })
}

async function selectMovedMessages(
  db: Db,
  actor: Actor,
  message: Message,
  { from, mode }: Move,
  locks = false,
): Promise<{ id: number; sentAt: number }[]> {
  if (mode === 'change_one') return [message]
  return messagesOfTopic(db, actor, from.channel, from.topic)
    .select(['id', 'sentAt'])
    .$if(mode === 'change_later', (query) => query.where('id', '>=', message.id))
    .orderBy('id')
    .$if(locks, (query) => query.forUpdate())
    .execute()
}
