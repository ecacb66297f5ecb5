export type PushTokenTables = {
  /** By which devices are reached, some day. */
  pushTokens: {
    userId: number
    /** `apns` or `fcm`. */
    service: string
    token: string
    /** The app that it belongs to; null for `fcm`. */
    appId: string | null
    addedAt: number
  }
}
