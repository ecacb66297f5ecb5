import type { Bit, Json } from './columns.ts'

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
    /** Null while subscribed; the row stays, so that its settings return. */
    unsubscribedAt: number | null
  }
}
