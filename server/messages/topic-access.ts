import type { SelectQueryBuilder } from 'kysely'
import type { Channel } from '#channels/channel.ts'
import { requireTopic, topicKey } from '#channels/topic.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'
import { hasProtectedHistory } from './access.ts'

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

export type MessagesQuery = SelectQueryBuilder<Tables, 'messages', object>

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
