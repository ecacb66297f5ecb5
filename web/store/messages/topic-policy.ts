import type { Organization } from '../organization.ts'
import { TopicPolicy } from './message.ts'
import { isSameTopic } from './narrow.ts'

/** Returns the user's setting for a topic, which is a value of `TopicPolicy`. */
export function topicPolicy(topics: Organization['user_topics'], channelId: number, topic: string): number {
  const own = topics.find((one) => one.stream_id === channelId && isSameTopic(one.topic_name, topic))
  return own?.visibility_policy ?? TopicPolicy.inherit
}
