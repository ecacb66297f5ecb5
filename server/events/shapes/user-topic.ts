import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'

/** A policy for a topic, the topic named where it must be. */
export function shapeUserTopic(payload: Payload, form: QueueForm): Payload {
  return { ...payload, topic_name: shownTopic(String(payload['topic_name']), form.allowsEmptyTopic) }
}

/** The muted topics, each named where it must be. */
export function shapeMutedTopics(payload: Payload, form: QueueForm): Payload {
  const topics = payload['muted_topics'] as readonly [string, string, number][]
  const shown = topics.map(([channel, topic, time]) => [channel, shownTopic(topic, form.allowsEmptyTopic), time])
  return { ...payload, muted_topics: shown }
}
