import { invalidChannelId } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { isViewerSubscribed } from '#channels/own-subscription.ts'
import { findChannel } from '#channels/queries.ts'
import { isResolutionChange } from '#channels/topic.ts'
import { isInSetting } from '#groups/membership.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import { mayListMessages } from '#rules/channel-rules.ts'
import { contentEditProblem, isPast, mayLeaveTopic, moveLimitFor } from '#rules/message-rules.ts'
import type { Message } from '../message.ts'
import { mayNotPost } from '../sending/send-access.ts'

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
export function moveLimitOf(actor: Actor, kind: 'within' | 'between'): number | null {
  const { settings } = actor.realm
  return moveLimitFor(
    actor,
    kind === 'within'
      ? settings.move_messages_within_stream_limit_seconds
      : settings.move_messages_between_streams_limit_seconds,
  )
}

export function isTooLate(message: Pick<Message, 'sentAt'>, limit: number | null, now: number): boolean {
  return isPast(message, limit, now - GRACE_PERIOD)
}
