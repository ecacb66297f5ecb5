export type PushTokenTables = {
  /** Devices that registered for push notifications, which are not sent yet. */
  pushTokens: {
    userId: number
    /** `apns` or `fcm`. */
    service: string
    token: string
    /** The id of the app; null for `fcm`. */
    appId: string | null
    addedAt: number
  }
}
