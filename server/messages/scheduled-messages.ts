import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'

// Scheduled messages as they are stored and as clients see them. A change or deletion fails if the message was sent
// or changed since it was read, so that it is neither sent twice nor after it was canceled.

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

const toScheduledMessage = (row: Selectable<Tables['scheduledMessages']>): ScheduledMessage => ({
  ...row,
  recipientIds: JSON.parse(row.recipientIds) as number[],
  isReadBySender: row.isReadBySender === 1,
})

const toFields = ({ recipientIds, isReadBySender, ...fields }: Omit<ScheduledMessage, 'id' | 'version'>) => ({
  ...fields,
  recipientIds: JSON.stringify(recipientIds),
  isReadBySender: isReadBySender ? (1 as const) : (0 as const),
})

/** Returns the user's scheduled messages, including failed ones, ordered by the time at which they are due. */
export async function findScheduledMessages(db: Db, senderId: number): Promise<ScheduledMessage[]> {
  const rows = await db
    .selectFrom('scheduledMessages')
    .selectAll()
    .where('senderId', '=', senderId)
    .orderBy('dueAt')
    .orderBy('id')
    .execute()
  return rows.map(toScheduledMessage)
}

export async function findScheduledMessage(db: Db, senderId: number, id: number): Promise<ScheduledMessage | null> {
  const row = await db
    .selectFrom('scheduledMessages')
    .selectAll()
    .where('id', '=', id)
    .where('senderId', '=', senderId)
    .executeTakeFirst()
  return row === undefined ? null : toScheduledMessage(row)
}

/** Like `findScheduledMessage`, but also locks the message until the transaction ends. */
export async function lockScheduledMessage(
  tx: Transaction,
  senderId: number,
  id: number,
): Promise<ScheduledMessage | null> {
  const row = await tx.db
    .selectFrom('scheduledMessages')
    .selectAll()
    .where('id', '=', id)
    .where('senderId', '=', senderId)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? null : toScheduledMessage(row)
}

/**
 * Returns the message with the earliest due time in any organization, without failed messages. It may be due already.
 */
export async function findNextToSend(db: Db): Promise<ScheduledMessage | null> {
  const row = await db
    .selectFrom('scheduledMessages')
    .selectAll()
    .where('failedAt', 'is', null)
    .orderBy('dueAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toScheduledMessage(row)
}

export async function countScheduledMessages(db: Db, senderId: number): Promise<number> {
  const { count } = await db
    .selectFrom('scheduledMessages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('senderId', '=', senderId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function saveNewScheduledMessage(
  tx: Transaction,
  message: Omit<ScheduledMessage, 'id' | 'version'>,
): Promise<ScheduledMessage> {
  const row = await tx
    .insertInto('scheduledMessages')
    .values({ ...toFields(message), version: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...message, id: row.id, version: 1 }
}

/** Saves the changed fields. Returns null if the message was changed, sent or canceled since it was read. */
export async function saveScheduledMessage(
  tx: Transaction,
  before: ScheduledMessage,
  changed: Partial<ScheduledMessage>,
): Promise<ScheduledMessage | null> {
  const { id, ...after } = { ...before, ...changed, version: before.version + 1 }
  const row = await tx
    .updateTable('scheduledMessages')
    .set({ ...toFields(after), version: after.version })
    .where('id', '=', id)
    .where('version', '=', before.version)
    .returning('id')
    .executeTakeFirst()
  return row === undefined ? null : { id, ...after }
}

/** Deletes the message. Returns false if it was changed, sent or canceled since it was read. */
export async function deleteScheduledMessage(
  tx: Transaction,
  { id, version }: Pick<ScheduledMessage, 'id' | 'version'>,
): Promise<boolean> {
  const row = await tx
    .deleteFrom('scheduledMessages')
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
