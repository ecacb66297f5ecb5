/** Why a bot hears of a message, as its receiver is told. */
export type WebhookTrigger = 'mention' | 'direct_message'

/** A message that an outgoing-webhook bot is to pass on. */
export type WebhookCall = {
  botId: number
  messageId: number
  trigger: WebhookTrigger
  attempts: number
  /** When the next attempt may be made. */
  dueAt: number
}
