/** A browser that shows notifications while no page is open in it, as long as its user is logged in. */
export type PushSubscription = {
  sessionId: number
  userId: number
  /** The address of its push service. */
  endpoint: string
  /** The public key of the browser (P-256) and its secret of 16 bytes, in base64url. */
  p256dh: string
  auth: string
}

/** A pending notification of a message for a browser. */
export type PushNotice = {
  sessionId: number
  messageId: number
  attempts: number
  /** The time of the next attempt. */
  dueAt: number
}
