import { sql } from 'kysely'
import type { Channel } from '../../channels/channel.ts'
import type { RenderScope } from '../../platform/markdown/scope.ts'
import { integerAt, rowsIn, textAt } from '../../platform/storage/json-list.ts'
import { toStorableText } from '../../platform/storage/storable-values.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { type Author, isSystemBot } from '../sending/author.ts'
import { cutTopic, meantTopic, topicKey } from '../topic.ts'

/** A topic of a channel that the author may read in, which a link leads to. */
export type LinkedTopic = { channel: Channel; topic: string }

/** More links than that lead to their topics by name, as those to topics without messages do. */
const MAX_TOPICS = 50

/** In channels where people read what they received, so many of the oldest and of the newest messages are looked at. */
const LOOKED_AT = 500

/** Looks up the first messages of the topics that the author may read: one statement, however many topics they are. */
export async function findFirstIn(
  db: Db,
  author: Author,
  topics: readonly LinkedTopic[],
): Promise<RenderScope['findFirstIn']> {
  if (topics.length === 0) return () => null
  const rows = new Map(
    topics.map(({ channel, topic }) => {
      const receiverId = hasProtectedHistory(channel) && !isSystemBot(author) ? author.user.id : 0
      return [nameOf(channel.id, keyOf(topic)), [channel.id, keyOf(topic), receiverId]]
    }),
  )
  const found = await firstIn(db, JSON.stringify([...rows.values()].slice(0, MAX_TOPICS)))
  const firsts = new Map(found.map(({ channelId, key, id }) => [nameOf(channelId, key), id]))
  return (channelId, topic) => firsts.get(nameOf(channelId, keyOf(topic))) ?? null
}

const nameOf = (channelId: number, key: string) => `${channelId} ${key}`

/** As topics are kept. In JSON, what the databases cannot hold would pass unseen. */
const keyOf = (topic: string) => topicKey(cutTopic(meantTopic(toStorableText(topic))))

/** Rows name a channel, a topic, and whoever must have received the message; 0 for nobody in particular. */
function firstIn(db: Db, rows: string) {
  return rowsIn(db, rows)
    .select(({ selectFrom, fn }) => {
      const readable = (order: 'asc' | 'desc') =>
        selectFrom(
          selectFrom('messages')
            .select('messages.id')
            .where('channelId', '=', integerAt(0))
            .where('topicKey', '=', textAt(1))
            .orderBy('messages.id', order)
            .limit(LOOKED_AT)
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
