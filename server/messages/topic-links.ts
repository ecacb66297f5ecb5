import { sql } from 'kysely'
import { normalizeTopic, topicKey } from '#channels/topic.ts'
import type { RenderScope } from '#markdown/scope.ts'
import { truncateTopic } from '#rules/topics.ts'
import { integerAt, rowsIn, textAt, toStorableText } from '#storage/sql.ts'
import type { Db } from '#storage/storage.ts'
import { type Author, hasProtectedHistory, isSystemBot } from './access.ts'
import type { ChannelTopic } from './message.ts'

// Links to topics in messages. Such a link names the first message of its topic, so that it still leads there after
// the topic was renamed.

/** The maximum number of topics to look up. Links to further topics lead to the topic without naming a message. */
const MAX_TOPICS = 50

/**
 * The maximum number of messages at each end of a topic that are examined. Only channels with protected history need
 * more than one.
 */
const MAX_EXAMINED = 500

/**
 * Finds the first message in each topic among the messages that the author may read. One statement serves all topics.
 */
export async function loadFirstMessageIds(
  db: Db,
  author: Author,
  topics: readonly ChannelTopic[],
): Promise<RenderScope['findFirstIn']> {
  if (topics.length === 0) return () => null
  const rows = new Map(
    topics.map(({ channel, topic }) => {
      const receiverId = hasProtectedHistory(channel) && !isSystemBot(author) ? author.user.id : 0
      return [toRowKey(channel.id, toStoredKey(topic)), [channel.id, toStoredKey(topic), receiverId]]
    }),
  )
  const found = await findFirstMessages(db, JSON.stringify([...rows.values()].slice(0, MAX_TOPICS)))
  const firsts = new Map(found.map(({ channelId, key, id }) => [toRowKey(channelId, key), id]))
  return (channelId, topic) => firsts.get(toRowKey(channelId, toStoredKey(topic))) ?? null
}

const toRowKey = (channelId: number, key: string) => `${channelId} ${key}`

/**
 * Returns the topic key as stored. It replaces characters that the database cannot store, because the keys are passed
 * as JSON, where the database driver does not replace them.
 */
const toStoredKey = (topic: string) => topicKey(truncateTopic(normalizeTopic(toStorableText(topic))))

/**
 * Each row of the JSON holds a channel id, a topic key, and the id of the user who must have received the message; 0
 * for any user.
 */
function findFirstMessages(db: Db, rows: string) {
  return rowsIn(db, rows)
    .select(({ selectFrom, fn }) => {
      const readable = (order: 'asc' | 'desc') =>
        selectFrom(
          selectFrom('messages')
            .select('messages.id')
            .where('channelId', '=', integerAt(0))
            .where('topicKey', '=', textAt(1))
            .orderBy('messages.id', order)
            .limit(MAX_EXAMINED)
            .as('inTopic'),
        )
          .select('inTopic.id')
          .where((is) =>
            is.or([
              sql<boolean>`${integerAt(2)} = 0`,
              is.exists(
                is
                  .selectFrom('userMessages')
                  .select('userId')
                  .whereRef('messageId', '=', 'inTopic.id')
                  .where('userId', '=', integerAt(2)),
              ),
            ]),
          )
          .orderBy('inTopic.id', order)
          .limit(1)
      const id = fn.coalesce(readable('asc'), readable('desc'))
      return [integerAt(0).as('channelId'), textAt(1).as('key'), id.as('id')]
    })
    .execute()
}
