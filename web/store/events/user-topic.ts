import { updateOrganization } from '../organization.ts'
import type { EventOf } from './event.ts'

export function applyUserTopic(event: EventOf<'user_topic'>): void {
  const { stream_id, topic_name, last_updated, visibility_policy } = event
  updateOrganization(({ user_topics }) => ({
    user_topics: [
      ...user_topics.filter((one) => one.stream_id !== stream_id || one.topic_name !== topic_name),
      ...(visibility_policy === 0 ? [] : [{ stream_id, topic_name, last_updated, visibility_policy }]),
    ],
  }))
}
