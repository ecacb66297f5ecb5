/** What somebody wants to see of a topic; of those that are `inherit` there is no row. */
export const VisibilityPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const

export type VisibilityPolicy = (typeof VisibilityPolicy)[keyof typeof VisibilityPolicy]

/** What topics become by themselves. */
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

/** The muted ones among the topics, as old clients know them: name of the channel, topic, time. */
export function toMutedTopicsJson(topics: readonly UserTopic[]): [string, string, number][] {
  return topics
    .filter((topic) => topic.visibilityPolicy === VisibilityPolicy.muted)
    .map(({ channelName, topic, setAt }) => [channelName, topic, Math.floor(setAt)])
}
