import { findChannelsById } from '#channels/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { type Actor, isVisible } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'
import { findSharedMessageContext, toMessageContext } from '../content/message-context.ts'
import type { ConversationRef } from '../conversation.ts'
import { toFlagsJson } from '../flags/flag.ts'
import type { UserMessage } from '../message.ts'
import { type MessageFormat, type MessageJson, toMessageJson } from './message-json.ts'
import { findReactionsByMessage, findSubmessagesByMessage } from './queries.ts'

/** Returns the messages as JSON for an actor who may read all of them. The number of queries is constant. */
export async function viewMessages(
  viewer: Viewer,
  messages: readonly UserMessage[],
  format: MessageFormat,
): Promise<MessageJson[]> {
  const { db, actor } = viewer
  const located = await withConversations(db, actor, messages)
  const [sharedContext, reactions, submessages, visibleIds] = await Promise.all([
    findSharedMessageContext(db, actor.realm, located),
    findReactionsByMessage(db, idsOf(messages.filter((message) => message.hasReactions))),
    findSubmessagesByMessage(db, idsOf(messages.filter((message) => message.hasSubmessages))),
    viewer.visibleIds(),
  ])
  return located.map(({ message, conversation }) => {
    const context = toMessageContext(sharedContext, { message, conversation }, actor.id)
    context.reactions = reactions.get(message.id) ?? []
    context.submessages = submessages.get(message.id) ?? []
    context.hidesSender = !isVisible(visibleIds, context.sender)
    return Object.assign(toMessageJson(message, context, format), { flags: toFlagsJson(message.flags) })
  })
}

const idsOf = (messages: readonly UserMessage[]) => messages.map((message) => message.id)

type LocatedMessage = { message: UserMessage; conversation: ConversationRef }

/**
 * Returns the messages with their conversations. Leaves out messages whose channel has been deleted in the meantime.
 */
async function withConversations(db: Db, actor: Actor, messages: readonly UserMessage[]): Promise<LocatedMessage[]> {
  const channelIds = new Set(messages.map((message) => message.channelId).filter((id) => id !== null))
  const channels = new Map(
    (await findChannelsById(db, actor.realmId, [...channelIds])).map((channel) => [channel.id, channel]),
  )
  return messages.flatMap((message): LocatedMessage[] => {
    if (message.directConversation !== null)
      return [{ message, conversation: { channel: null, direct: message.directConversation } }]
    const channel = channels.get(message.channelId ?? 0)
    return channel === undefined ? [] : [{ message, conversation: { channel, topic: message.topic } }]
  })
}
