import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type ScheduledMessageTables = {
  /** Messages that wait to be sent, and those that could not be sent; sent messages are removed. */
  scheduledMessages: {
    id: Generated<number>
    realmId: number
    senderId: number
    /** Null for direct messages. */
    channelId: number | null
    /** The ids of the recipients of a direct message, without the sender unless they write to themselves. */
    recipientIds: Json
    topic: string
    content: string
    renderedContent: string
    client: string
    isReadBySender: Bit
    dueAt: number
    failedAt: number | null
    /** Increases with each change. */
    version: number
  }
}
