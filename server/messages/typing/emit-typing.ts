import { invalidChannelId } from '#channels/access.ts'
import { findChannel } from '#channels/queries.ts'
import { requireTopic } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUsersById } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireChangeableMessage } from '../access.ts'
import { requireMayMessage, requireVisibleUsers } from '../direct-access.ts'
import { requireMayEditContent } from '../editing/edit-access.ts'
import { requireDirectRecipients } from '../sending/direct-recipients.ts'
import { requireMaySend } from '../sending/send-access.ts'
import { findChannelTypingAudience, typingAudienceAmong } from './audience.ts'
import { channelTypingEvent, directTypingEvent, editTypingEvent, type TypingOp } from './events.ts'

export const emptyRecipientList = refusal('BAD_REQUEST', 400, "Empty 'to' list", { field: 'to' })
export const directTypingDisabled = refusal(
  'BAD_REQUEST',
  400,
  'User has disabled typing notifications for direct messages',
)
export const channelTypingDisabled = refusal(
  'BAD_REQUEST',
  400,
  'User has disabled typing notifications for channel messages',
)

/**
 * Emits a typing event of the actor to a direct conversation. Refuses a conversation to which the actor may not send.
 */
export async function emitDirectTyping(
  tx: Transaction,
  actor: Actor,
  op: TypingOp,
  userIds: readonly number[],
): Promise<void> {
  if (userIds.length === 0) throw emptyRecipientList()
  if (!actor.settings.send_private_typing_notifications) throw directTypingDisabled()
  const viewer = viewerOf(tx.db, actor, tx.now)
  const recipients = await requireDirectRecipients(viewer, userIds)
  await requireVisibleUsers(viewer, recipients)
  const active = recipients.filter((user) => user.deactivatedAt === null)
  await requireMayMessage(viewer, active)

  const people = recipients.some((user) => user.id === actor.id) ? recipients : [...recipients, actor]
  const event = directTypingEvent({ op, sender: actor }, people, addressOf(tx, actor))
  tx.emit(actor.realmId, event, typingAudienceAmong(actor, people))
}

/** Emits a typing event of the actor in a topic to the channel's subscribers. */
export async function emitChannelTyping(
  tx: Transaction,
  actor: Actor,
  op: TypingOp,
  to: { channelId: number; topic: string },
): Promise<void> {
  if (!actor.settings.send_stream_typing_notifications) throw channelTypingDisabled()
  const topic = requireTopic(to.topic)
  const found = await findChannel(tx.db, actor.realmId, to.channelId)
  const channel = await requireMaySend(viewerOf(tx.db, actor, tx.now), found, invalidChannelId)

  const event = channelTypingEvent({ op, sender: actor }, { channelId: channel.id, topic }, addressOf(tx, actor))
  tx.emit(actor.realmId, event, await findChannelTypingAudience(tx.db, actor, channel.id, tx.now))
}

/** Emits a typing event of the actor, who is editing a message, to the conversation of that message. */
export async function emitEditTyping(tx: Transaction, actor: Actor, op: TypingOp, messageId: number): Promise<void> {
  const { message, conversation } = await requireChangeableMessage(viewerOf(tx.db, actor, tx.now), messageId)
  requireMayEditContent(actor, message, tx.now)
  if (conversation.channel === null) {
    if (!actor.settings.send_private_typing_notifications) throw directTypingDisabled()
    const userIds = conversation.direct.participantIds
    const event = editTypingEvent(op, actor.id, messageId, { type: 'direct', user_ids: userIds })
    tx.emit(actor.realmId, event, typingAudienceAmong(actor, await findUsersById(tx.db, userIds)))
    return
  }
  if (!actor.settings.send_stream_typing_notifications) throw channelTypingDisabled()
  const recipient = { type: 'channel', channel_id: conversation.channel.id, topic: message.topic } as const
  const event = editTypingEvent(op, actor.id, messageId, recipient)
  tx.emit(actor.realmId, event, await findChannelTypingAudience(tx.db, actor, conversation.channel.id, tx.now))
}

function addressOf(tx: Transaction, actor: Actor) {
  return { realm: actor.realm, externalUrl: tx.db.settings.EXTERNAL_URL }
}
