import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type ChannelTables = {
  channels: {
    id: Generated<number>
    realmId: number
    recipientId: number
    name: string
    /** The name in lower case, unique in its organization. */
    nameKey: string
    /** The time of the last rename; null if none has been recorded. */
    renamedAt: number | null
    description: string
    renderedDescription: string
    isPrivate: Bit
    isWebPublic: Bit
    /** True if subscribers may read messages that were sent before they subscribed. */
    isHistoryShared: Bit
    creatorId: number | null
    createdAt: number
    archivedAt: number | null
    messageRetentionDays: number | null
    /** The time from which the retention setting takes effect; null if it was never changed. */
    retentionFrom: number | null
    /** The permission settings that differ from their defaults, by API name. */
    settings: Json
  }

  defaultChannels: { realmId: number; channelId: number }
}

export type SubscriptionTables = {
  subscriptions: {
    userId: number
    channelId: number
    color: string
    isMuted: Bit
    isPinned: Bit
    /** Notification settings that differ from the user's own, by API name. */
    settings: Json
    subscribedAt: number
    /** Null while subscribed; the row is kept after unsubscribing, so that its settings can be restored. */
    unsubscribedAt: number | null
  }
}

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
