/** A user's policy for a topic: how much of it they see. `inherit` is not stored. */
export const VisibilityPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const

export type VisibilityPolicy = (typeof VisibilityPolicy)[keyof typeof VisibilityPolicy]

/** The policies that the server can set automatically. */
export type AutomaticPolicy = typeof VisibilityPolicy.unmuted | typeof VisibilityPolicy.followed

export type UserTopic = {
  channelId: number
  channelName: string
  topic: string
  visibilityPolicy: number
  setAt: number
}

export function toUserTopicJson({ channelId, topic, visibilityPolicy, setAt }: Omit<UserTopic, 'channelName'>) {
  return {
    stream_id: channelId,
    topic_name: topic,
    last_updated: Math.floor(setAt),
    visibility_policy: visibilityPolicy,
  }
}

/** Returns the muted topics in the format of older clients: channel name, topic and time. */
export function toMutedTopicsJson(topics: readonly UserTopic[]): [string, string, number][] {
  return topics
    .filter((topic) => topic.visibilityPolicy === VisibilityPolicy.muted)
    .map(({ channelName, topic, setAt }) => [channelName, topic, Math.floor(setAt)])
}
