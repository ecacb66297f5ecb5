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
    /** Null while subscribed; the row is kept after unsubscribing, so that its settings can be restored. */
    unsubscribedAt: number | null
  }
}
