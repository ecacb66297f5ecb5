import { sql } from 'kysely'
import type { Channel } from '../../channels/channel.ts'
import type { RenderScope } from '../../markdown/scope.ts'
import { toStorableText } from '../../storage/bind.ts'
import { integerAt, rowsIn, textAt } from '../../storage/json-list.ts'
import type { Db } from '../../storage/storage.ts'
import { isReceivedOnly } from '../access.ts'
import { type Author, isSystemBot } from '../sending/author.ts'
import { cutTopic, meantTopic, topicKey } from '../topic.ts'

/** A topic of a channel that the author may read in, which a link leads to. */
export type LinkedTopic = { channel: Channel; topic: string }

/** More links than that lead to their topics by name, as those to topics without messages do. */
const MOST_TOPICS = 50

/** So many of the newest messages of a topic are looked at for one that the author may read. */
const LOOKED_AT = 100

/** Looks up the newest messages of the topics, as far as the author may read them: one statement, however many they are. */
export async function findNewestIn(
  db: Db,
  author: Author,
  topics: readonly LinkedTopic[],
): Promise<RenderScope['findNewestIn']> {
  if (topics.length === 0) return () => null
  const rows = new Map(
    topics.map(({ channel, topic }) => {
      const receiverId = isReceivedOnly(channel) && !isSystemBot(author) ? author.user.id : 0
      return [nameOf(channel.id, keyOf(topic)), [channel.id, keyOf(topic), receiverId]]
    }),
  )
  const found = await newestIn(db, JSON.stringify([...rows.values()].slice(0, MOST_TOPICS)))
  const newest = new Map(found.map(({ channelId, key, id }) => [nameOf(channelId, key), id]))
  return (channelId, topic) => newest.get(nameOf(channelId, keyOf(topic))) ?? null
}

const nameOf = (channelId: number, key: string) => `${channelId} ${key}`

/** As topics are kept. In JSON, what the databases cannot hold would pass unseen. */
const keyOf = (topic: string) => topicKey(cutTopic(meantTopic(toStorableText(topic))))

/** Rows name a channel, a topic, and whoever must have received the message; 0 for nobody in particular. */
function newestIn(db: Db, rows: string) {
  return rowsIn(db, rows)
    .select(({ selectFrom }) => [
      integerAt(0).as('channelId'),
      textAt(1).as('key'),
      selectFrom(
        selectFrom('messages')
          .select('messages.id')
          .where('channelId', '=', integerAt(0))
          .where('topicKey', '=', textAt(1))
          .orderBy('messages.id', 'desc')
          .limit(LOOKED_AT)
          .as('newest'),
      )
        .select('newest.id')
        .where((is) =>
          is.or([
            sql<boolean>`${integerAt(2)} = 0`,
            is.exists(
              is
                .selectFrom('userMessages')
                .select('userId')
                .whereRef('messageId', '=', 'newest.id')
                .where('userId', '=', integerAt(2)),
            ),
          ]),
        )
        .orderBy('newest.id', 'desc')
        .limit(1)
        .as('id'),
    ])
    .execute()
}
