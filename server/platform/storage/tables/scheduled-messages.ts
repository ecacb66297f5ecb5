import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type ScheduledMessageTables = {
  /** Messages that wait to be sent, and those that could not be; what was sent is here no more. */
  scheduledMessages: {
    id: Generated<number>
    realmId: number
    senderId: number
    /** Null for direct messages. */
    channelId: number | null
    /** The ids of those who receive a direct message, without its sender unless they write to themselves. */
    recipientIds: Json
    topic: string
    content: string
    renderedContent: string
    client: string
    isReadBySender: Bit
    dueAt: number
    failedAt: number | null
    /** Grows with each change. */
    version: number
  }
}
