import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { hasProtectedHistory } from '../../messages/access.ts'
import { shownTopic } from '../../messages/topic.ts'
import { invalidChannelId, requireReadableChannel } from '../access.ts'
import { findTopics } from '../topic-queries.ts'

/** What fits into an answer, however long the names are; older topics are found by their messages. */
const MAX_TOPICS = 25_000

export const listTopics = endpoint({
  route: 'GET /users/me/{stream_id}/topics',
  summary: 'List the topics of a channel',
  description: 'The topics of the messages that you may read, the one with the latest message first; at most 25,000.',
  who: 'user',
  params: {
    allow_empty_topic_name: z
      .boolean()
      .default(false)
      .describe('Whether the topic without a name is "" rather than "general chat".'),
  },
  returns: {
    topics: z.array(z.strictObject({ name: z.string(), max_id: z.int().describe('Id of the latest message.') })),
  },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, params) {
    const channel = await requireReadableChannel(db, actor, params.stream_id, clock.now())
    const topics = await findTopics(db, channel.id, hasProtectedHistory(channel) ? actor.id : null)
    const rows = topics.slice(0, MAX_TOPICS).map(({ name, maxId }) => ({
      name: shownTopic(name, params.allow_empty_topic_name),
      max_id: maxId,
    }))
    return { topics: rows }
  },
})
