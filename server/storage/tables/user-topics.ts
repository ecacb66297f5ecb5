export type UserTopicTables = {
  /** Topics that a user mutes, unmutes or follows. */
  userTopics: {
    userId: number
    channelId: number
    /** The topic in lower case, as in `messages`. */
    topicKey: string
    topic: string
    /** 1 muted, 2 unmuted, 3 followed. */
    visibilityPolicy: number
    setAt: number
  }
}
