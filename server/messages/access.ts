import type { Channel } from '#channels/channel.ts'
import { isViewerSubscribed } from '#channels/own-subscription.ts'
import { findChannel } from '#channels/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { hasContentAccess } from '#rules/channel-rules.ts'
import type { ConversationRef } from './conversation.ts'
import type { MessageWithConversation } from './message.ts'
import { findFlags, findMessage } from './reading/queries.ts'

export const invalidMessage = refusal('BAD_REQUEST', 400, 'Invalid message(s)')

/** A message that the actor may read, the actor's flags on it (null without a record), and its conversation. */
export type ReadableMessage = { message: MessageWithConversation; flags: number | null; conversation: ConversationRef }

/** Returns the message if the actor may read it. Otherwise, refuses it like a missing message. */
export async function requireMessage(viewer: Viewer, id: number): Promise<ReadableMessage> {
  const { db, actor } = viewer
  const message = await findMessage(db, id)
  if (message === null || message.realmId !== actor.realmId) throw invalidMessage()
  const flags = await findFlags(db, actor.id, id)
  const { directConversation } = message
  if (directConversation !== null) {
    if (flags === null) throw invalidMessage()
    return { message, flags, conversation: { channel: null, direct: directConversation } }
  }
  const channel = await findChannel(db, actor.realmId, message.channelId ?? 0)
  if (channel === null || !(await mayRead(viewer, flags, channel))) throw invalidMessage()
  return { message, flags, conversation: { channel, topic: message.topic } }
}

/** Like `requireMessage`, but also refuses messages in archived channels, because they cannot change. */
export async function requireChangeableMessage(viewer: Viewer, id: number): Promise<ReadableMessage> {
  const readable = await requireMessage(viewer, id)
  if (isArchived(readable.conversation)) throw invalidMessage()
  return readable
}

const isArchived = ({ channel }: ConversationRef) => channel !== null && channel.archivedAt !== null

async function mayRead(viewer: Viewer, flags: number | null, channel: Channel): Promise<boolean> {
  const { actor } = viewer
  if (hasProtectedHistory(channel) && flags === null) return false
  if (hasContentAccess(await viewer.scope(), actor, channel, false)) return true
  return isViewerSubscribed(viewer, channel.id)
}

/**
 * Returns true if the channel is private and has protected history. Users can read only the messages there that they
 * received.
 */
export function hasProtectedHistory(channel: Channel): boolean {
  return channel.isPrivate && !channel.isHistoryShared
}
