export type PushNoticeTables = {
  /** Browsers that show push notifications, by the session in which they were enabled. */
  pushSubscriptions: {
    sessionId: number
    userId: number
    /** The push service's URL for the browser. Anyone who knows the URL can send to it. */
    endpoint: string
    /** The browser's public key and its shared secret, in base64url. Notifications are encrypted with them. */
    p256dh: string
    auth: string
    addedAt: number
  }

  /** Pending notifications; the row is deleted when the notification was sent or became obsolete. */
  pushNotices: {
    sessionId: number
    messageId: number
    attempts: number
    /** The earliest time of the next attempt. */
    dueAt: number
  }
}
