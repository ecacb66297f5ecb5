import { z } from 'zod'

/** A message that is to be sent when it is due. */
export type ScheduledMessage = {
  id: number
  realmId: number
  senderId: number
  /** Null for direct messages. */
  channelId: number | null
  /** Who receives a direct message beside its sender; the sender alone for notes to oneself, nobody for channels. */
  recipientIds: readonly number[]
  topic: string
  content: string
  /** The text as it was rendered when it was written; it is rendered anew when it is sent. */
  renderedContent: string
  client: string
  isReadBySender: boolean
  dueAt: number
  /** When sending it was refused; from then on it waits for its sender to change it. */
  failedAt: number | null
  /** Grows with each change. */
  version: number
}

export const scheduledMessageJson = z.strictObject({
  scheduled_message_id: z.int(),
  type: z.enum(['stream', 'private']),
  to: z.union([z.int(), z.array(z.int())]).describe('The id of the channel, or those of the people without yours.'),
  topic: z.string().optional().describe('Of messages to channels.'),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean().describe('Whether sending it was refused. It is tried again when it is given another time.'),
})

export function toScheduledMessageJson(message: ScheduledMessage): z.infer<typeof scheduledMessageJson> {
  const { id, channelId, recipientIds, topic, content, renderedContent, dueAt, failedAt } = message
  const place =
    channelId === null
      ? { type: 'private' as const, to: [...recipientIds] }
      : { type: 'stream' as const, to: channelId, topic }
  return {
    scheduled_message_id: id,
    ...place,
    content,
    rendered_content: renderedContent,
    scheduled_delivery_timestamp: dueAt,
    failed: failedAt !== null,
  }
}
