import { z } from 'zod'

export type ScheduledMessage = {
  id: number
  realmId: number
  senderId: number
  /** Null for direct messages. */
  channelId: number | null
  /**
   * For direct messages, the recipients without the sender, or only the sender in a note to self. Empty for channel
   * messages.
   */
  recipientIds: readonly number[]
  topic: string
  content: string
  /** The HTML of the content as of the last change. The content is rendered again when the message is sent. */
  renderedContent: string
  client: string
  isReadBySender: boolean
  dueAt: number
  /** The time at which sending failed. The message is not sent after that unless its sender changes it. */
  failedAt: number | null
  /** Increases with each change. */
  version: number
}

export const scheduledMessageJson = z.strictObject({
  scheduled_message_id: z.int(),
  type: z.enum(['stream', 'private']),
  to: z.union([z.int(), z.array(z.int())]).describe('The id of the channel, or the ids of the other recipients.'),
  topic: z.string().optional().describe('For channel messages.'),
  content: z.string(),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean().describe('Whether sending it failed. It is sent again if it gets a new time.'),
})

export function toScheduledMessageJson(message: ScheduledMessage): z.infer<typeof scheduledMessageJson> {
  const { id, channelId, recipientIds, topic, content, renderedContent, dueAt, failedAt } = message
  const recipient =
    channelId === null
      ? { type: 'private' as const, to: [...recipientIds] }
      : { type: 'stream' as const, to: channelId, topic }
  return {
    scheduled_message_id: id,
    ...recipient,
    content,
    rendered_content: renderedContent,
    scheduled_delivery_timestamp: dueAt,
    failed: failedAt !== null,
  }
}
