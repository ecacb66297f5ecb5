import { z } from 'zod'
import { invalidChannelId, requireReadableChannel } from '#channels/access.ts'
import { displayTopic } from '#channels/topic.ts'
import { findTopics } from '#channels/topic-queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { hasProtectedHistory } from '../access.ts'

/**
 * The maximum number of topics in a response. This many fit into it, however long their names are. Users can find older
 * topics through their messages.
 */
const MAX_TOPICS = 25_000

export const listTopics = endpoint({
  route: 'GET /users/me/{stream_id}/topics',
  summary: 'List the topics of a channel',
  description: 'The topics of the messages that you may read, latest message first; at most 25,000.',
  who: 'user',
  params: {
    allow_empty_topic_name: z
      .boolean()
      .default(false)
      .describe('Whether the topic without a name is returned as "" rather than "general chat".'),
  },
  returns: {
    topics: z.array(z.strictObject({ name: z.string(), max_id: z.int().describe('The id of the latest message.') })),
  },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, params) {
    const channel = await requireReadableChannel(viewerOf(db, actor, clock.now()), params.stream_id)
    const topics = await findTopics(db, channel.id, hasProtectedHistory(channel) ? actor.id : null)
    const rows = topics.slice(0, MAX_TOPICS).map(({ name, maxId }) => ({
      name: displayTopic(name, params.allow_empty_topic_name),
      max_id: maxId,
    }))
    return { topics: rows }
  },
})
