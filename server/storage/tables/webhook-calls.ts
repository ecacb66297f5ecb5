export type WebhookCallTables = {
  /** Messages that an outgoing-webhook bot still has to deliver. The row is deleted when the outcome is known. */
  webhookCalls: {
    botId: number
    messageId: number
    /** The reason for the call: a mention or a direct message. The receiver gets it with the message. */
    trigger: string
    /** Includes attempts in progress. */
    attempts: number
    /**
     * The earliest time of the next attempt. The attempt also waits for the deliveries of the bot's earlier messages.
     */
    dueAt: number
  }
}
