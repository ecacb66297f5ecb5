/** The reason why a message triggers the webhook. */
export type WebhookTrigger = 'mention' | 'direct_message'

/** A pending call that passes a message to an outgoing webhook. */
export type WebhookCall = {
  botId: number
  messageId: number
  trigger: WebhookTrigger
  attempts: number
  /** The time of the next attempt. */
  dueAt: number
}
