import { updateOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

/** A topic was muted, unmuted or followed. */
export function applyUserTopic(event: ServerEvent): void {
  const { stream_id, topic_name, last_updated, visibility_policy } = event as unknown as {
    stream_id: number
    topic_name: string
    last_updated: number
    visibility_policy: 0 | 1 | 2 | 3
  }
  updateOrganization(({ user_topics }) => ({
    user_topics: [
      ...user_topics.filter((one) => one.stream_id !== stream_id || one.topic_name !== topic_name),
      ...(visibility_policy === 0 ? [] : [{ stream_id, topic_name, last_updated, visibility_policy }]),
    ],
  }))
}
