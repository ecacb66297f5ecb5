import type { SelectQueryBuilder } from 'kysely'
import { isOpenToSpectators, isViewerSubscribed } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findChannel } from '#channels/queries.ts'
import { requireTopic, topicKey } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import { notLoggedIn } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import type { Actor, User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { hasContentAccess } from '#rules/permissions.ts'
import type { Db } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'
import type { ConversationRef, MessageWithConversation } from './message.ts'
import { findFlags, findMessage } from './queries.ts'

// Access to messages: each function returns the message or topic, or refuses. A message that the actor may not read
// and a missing one are refused by the same line. In a private channel with protected history, users read only the
// messages that they have received.

/** A message that the actor may read, the actor's flags on it (null without a record), and its conversation. */
export type ReadableMessage = { message: MessageWithConversation; flags: number | null; conversation: ConversationRef }

export type MessagesQuery = SelectQueryBuilder<Tables, 'messages', object>

/**
 * The sender of a message, and the organization in which the message is sent. Only system bots send outside their own
 * organization.
 */
export type Author = { user: User; realm: Realm }

export const invalidMessage = refusal('BAD_REQUEST', 400, 'Invalid message(s)')

/** Returns the message if the actor may read it. Otherwise, refuses it like a missing message; asks spectators to log in. */
export async function requireMessage(viewer: Viewer, id: number): Promise<ReadableMessage> {
  const { db, actor } = viewer
  const refused = viewer.isSpectator ? notLoggedIn : invalidMessage
  const message = await findMessage(db, id)
  if (message === null || message.realmId !== actor.realmId) throw refused()
  const flags = await findFlags(db, actor.id, id)
  const { directConversation } = message
  if (directConversation !== null) {
    if (flags === null) throw refused()
    return { message, flags, conversation: { channel: null, direct: directConversation } }
  }
  const channel = await findChannel(db, actor.realmId, message.channelId ?? 0)
  if (channel === null || !(await mayRead(viewer, flags, channel))) throw refused()
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
  if (viewer.isSpectator) return isOpenToSpectators(actor.realm, channel)
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

export const missingTopic = refusal('BAD_REQUEST', 400, 'Missing topic', { field: 'topic' })
export const topicsRequired = refusal('BAD_REQUEST', 400, 'Topics are required in this organization', {
  field: 'topic',
})

/**
 * Returns the topic in the form in which it is stored. Refuses the empty topic where the organization requires topics.
 */
export function requireAllowedTopic(realm: Realm, given: string): string {
  const topic = requireTopic(given)
  if (topic === '' && realm.settings.mandatory_topics) throw topicsRequired()
  return topic
}

/** Selects those messages of a topic that the actor may read. The caller must have checked access to the channel. */
export function messagesOfTopic(db: Db, actor: Actor, channel: Channel, topic: string): MessagesQuery {
  return db
    .selectFrom('messages')
    .where('channelId', '=', channel.id)
    .where('topicKey', '=', topicKey(topic))
    .$if(hasProtectedHistory(channel), (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('userMessages')
            .select('userId')
            .whereRef('messageId', '=', 'messages.id')
            .where('userId', '=', actor.id),
        ),
      ),
    )
}

export function authorOf(actor: Actor): Author {
  return { user: actor, realm: actor.realm }
}

/** Returns true for system bots, which are not restricted by permissions. */
export function isSystemBot({ user, realm }: Author): boolean {
  return user.realmId !== realm.id
}

/** Returns the author as an actor, for permission checks. */
export function actorOf({ user, realm }: Author): Actor {
  return { ...user, realm }
}
