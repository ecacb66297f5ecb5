import { hasContentAccess } from '../channels/access.ts'
import type { Channel } from '../channels/channel.ts'
import { findChannel } from '../channels/queries.ts'
import { isSubscribed } from '../channels/subscription-status-queries.ts'
import { findMembershipScope } from '../groups/membership.ts'
import type { Actor } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import type { ConversationRef } from './conversation.ts'
import type { MessageWithConversation } from './message.ts'
import { findFlags, findMessage } from './reading/queries.ts'

export const invalidMessage = refusal('BAD_REQUEST', 400, 'Invalid message(s)')

/** A message that the actor may read, the actor's flags on it (null without a record), and its conversation. */
export type ReadableMessage = { message: MessageWithConversation; flags: number | null; conversation: ConversationRef }

/** Returns the message if the actor may read it; refuses it like a missing message otherwise. */
export async function requireMessage(db: Db, actor: Actor, id: number, now: number): Promise<ReadableMessage> {
  const message = await findMessage(db, id)
  if (message === null || message.realmId !== actor.realmId) throw invalidMessage()
  const flags = await findFlags(db, actor.id, id)
  const { directConversation } = message
  if (directConversation !== null) {
    if (flags === null) throw invalidMessage()
    return { message, flags, conversation: { channel: null, direct: directConversation } }
  }
  const channel = await findChannel(db, actor.realmId, message.channelId ?? 0)
  if (channel === null || !(await mayRead(db, actor, flags, channel, now))) throw invalidMessage()
  return { message, flags, conversation: { channel, topic: message.topic } }
}

/** Like `requireMessage`, but also refuses messages in archived channels, because they cannot change. */
export async function requireChangeableMessage(
  db: Db,
  actor: Actor,
  id: number,
  now: number,
): Promise<ReadableMessage> {
  const readable = await requireMessage(db, actor, id, now)
  if (isArchived(readable.conversation)) throw invalidMessage()
  return readable
}

const isArchived = ({ channel }: ConversationRef) => channel !== null && channel.archivedAt !== null

async function mayRead(db: Db, actor: Actor, flags: number | null, channel: Channel, now: number): Promise<boolean> {
  if (hasProtectedHistory(channel) && flags === null) return false
  if (hasContentAccess(await findMembershipScope(db, actor, now), actor, channel, false)) return true
  return isSubscribed(db, actor.id, channel.id)
}

/** In a private channel with protected history, users can read only the messages that they received. */
export function hasProtectedHistory(channel: Channel): boolean {
  return channel.isPrivate && !channel.isHistoryShared
}
