export type WebhookCallTables = {
  /** Messages that an outgoing-webhook bot is still to pass on; the row goes with what became of it. */
  webhookCalls: {
    botId: number
    messageId: number
    /** Why the bot hears of it, as its receiver is told: a mention, or a direct message. */
    trigger: string
    /** Those under way included. */
    attempts: number
    /** When the next attempt may be made, and never before those of the bot's earlier messages have ended. */
    dueAt: number
  }
}
