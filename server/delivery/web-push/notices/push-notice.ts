/** A browser that shows notices while no page of the server is open in it, for as long as somebody is signed in there. */
export type PushSubscription = {
  sessionId: number
  userId: number
  /** Where its maker takes what is for it. */
  endpoint: string
  /** The browser's public key on P-256, and its secret of 16 bytes, in base64url. */
  p256dh: string
  auth: string
}

/** A message that a browser is still to be told of. */
export type PushNotice = {
  sessionId: number
  messageId: number
  attempts: number
  /** When the next attempt may be made. */
  dueAt: number
}
