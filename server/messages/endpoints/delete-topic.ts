import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { normalizeTopic } from '#channels/topic.ts'
import { endpoint } from '#http/endpoint.ts'
import { mustBeAdministrator } from '#people/users/access.ts'
import { deleteFromTopic, TOPIC_BATCH } from '../editing/delete-topic.ts'

/** The maximum number of messages that one request deletes, so that clients do not time out. */
const MAX_MESSAGES = 5000

export const removeTopic = endpoint({
  route: 'POST /streams/{stream_id}/delete_topic',
  summary: 'Delete a topic with all its messages',
  description: `Deletes up to ${MAX_MESSAGES} of the newest messages that you may read. Repeat the request until \`complete\` is true.`,
  who: 'user',
  params: { topic_name: z.string() },
  returns: { complete: z.boolean() },
  refuses: [mustBeAdministrator, invalidChannelId],
  async handle({ transaction, actor }, { stream_id, topic_name }) {
    const topic = normalizeTopic(topic_name)
    for (let deleted = 0; deleted < MAX_MESSAGES; deleted += TOPIC_BATCH) {
      const isMore = await transaction((tx) => deleteFromTopic(tx, actor, stream_id, topic))
      if (!isMore) return { complete: true }
    }
    return { complete: false }
  },
})
