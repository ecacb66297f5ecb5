export type PushTokenTables = {
  /** Devices that registered for push notifications. The server does not send these yet. */
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
