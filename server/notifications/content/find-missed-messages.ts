import { sql } from 'kysely'
import { type MessageTopic, messageTopicOf, topicKey } from '#channels/topic.ts'
import { viewerOf } from '#groups/viewer.ts'
import { Flag } from '#messages/flags.ts'
import type { UserMessage } from '#messages/message.ts'
import { findAccessScope, isAmong, isInScope } from '#messages/narrow.ts'
import { findNotifiableUsers, type NotificationMedium, wantsNotification } from '#messages/notifiable-users.ts'
import { findUserMessages } from '#messages/queries.ts'
import { findMuterIds } from '#people/mutes.ts'
import type { Actor } from '#people/users.ts'
import type { Db } from '#storage/storage.ts'

/** The missed messages of one conversation, at least one, ordered by id. */
export type MissedConversation = { topicRef: MessageTopic; messages: UserMessage[] }

/**
 * Returns the messages that the user may read, has not read and still wants notifications about. They are grouped by
 * their current conversation, and the conversations are ordered by their first missed message.
 */
export async function findMissedMessages(
  db: Db,
  actor: Actor,
  { medium, ids }: { medium: NotificationMedium; ids: readonly number[] },
  now: number,
): Promise<MissedConversation[]> {
  const scope = await findAccessScope(viewerOf(db, actor, now))
  const readable = sql<number>`(
    select "messages"."id" from "messages"
    inner join "userMessages" on "userMessages"."messageId" = "messages"."id" and "userMessages"."userId" = ${actor.id}
    where ${isAmong(db, 'messages.id', ids)} and ${isInScope(db, scope)}
  )`
  const unread: UserMessage[] = []
  for (const message of await findUserMessages(db, actor.id, readable)) {
    const isRead = message.flags === null || (message.flags & Flag.read) !== 0
    if (!isRead && !(await findMuterIds(db, message.senderId)).has(actor.id)) unread.push(message)
  }
  const conversations: MissedConversation[] = []
  for (const messages of Map.groupBy(unread, keyOf).values()) {
    const topicRef = messageTopicOf(messages[0] as UserMessage)
    const [[user] = []] = await findNotifiableUsers(db, [{ topicRef, userIds: [actor.id] }], now)
    if (user === undefined) continue
    const wanted = messages.filter(({ flags }) =>
      wantsNotification(medium, user, flags ?? Flag.read, { isDirect: topicRef === null, now }),
    )
    if (wanted.length > 0) conversations.push({ topicRef, messages: wanted })
  }
  return conversations
}

const keyOf = ({ channelId, conversationId, topic }: UserMessage) =>
  channelId === null ? `to ${conversationId}` : `in ${channelId} ${topicKey(topic)}`
