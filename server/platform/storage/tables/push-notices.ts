export type PushNoticeTables = {
  /** Browsers that show notices while no page is open, by the session in which somebody wanted that. */
  pushSubscriptions: {
    sessionId: number
    userId: number
    /** Where its maker takes what is for it: whoever knows the address may send there. */
    endpoint: string
    /** The browser's public key, and what it shares with its senders, in base64url: what is sent is encrypted for them. */
    p256dh: string
    auth: string
    addedAt: number
  }

  /** Messages that a browser is still to be told of; the row goes when it was, or when there is nothing to tell. */
  pushNotices: {
    sessionId: number
    messageId: number
    attempts: number
    /** When the next attempt may be made. */
    dueAt: number
  }
}
