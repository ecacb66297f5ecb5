import type { Selectable } from 'kysely'
import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'
import { requireTextQuota } from './text-quota.ts'

// Scheduled messages and reminders as they are stored and as clients see them. A change or deletion fails if the message
// was sent or changed since it was read, so that it is neither sent twice nor after it was canceled. A reminder has a row
// of the same table, but is listed and changed by its own endpoints.

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
  /** The id of the message that a reminder is about; null for scheduled messages. `content` is the note of a reminder. */
  reminderOf: number | null
}

export type Reminder = ScheduledMessage & { reminderOf: number }

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

export const reminderJson = z.strictObject({
  reminder_id: z.int(),
  type: z.literal('private'),
  to: z.array(z.int()).describe('Your id.'),
  content: z
    .string()
    .describe('Your note, or an empty string. The message is quoted, as it is then, when the reminder is sent.'),
  rendered_content: z.string(),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean().describe('Whether sending it failed. It is sent again if it gets a new time.'),
  reminder_target_message_id: z.int().describe('The id of the message, which may have been deleted since.'),
})

export function toReminderJson(reminder: Reminder): z.infer<typeof reminderJson> {
  const { id, senderId, content, renderedContent, dueAt, failedAt, reminderOf } = reminder
  return {
    reminder_id: id,
    type: 'private',
    to: [senderId],
    content,
    rendered_content: renderedContent,
    scheduled_delivery_timestamp: dueAt,
    failed: failedAt !== null,
    reminder_target_message_id: reminderOf,
  }
}

export const isReminder = (message: ScheduledMessage): message is Reminder => message.reminderOf !== null

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
  return (await findOf(db, senderId)).filter((message) => !isReminder(message))
}

/** Like `findScheduledMessages`, for reminders. */
export async function findReminders(db: Db, senderId: number): Promise<Reminder[]> {
  return (await findOf(db, senderId)).filter(isReminder)
}

async function findOf(db: Db, senderId: number): Promise<ScheduledMessage[]> {
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
    .where('reminderOf', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : toScheduledMessage(row)
}

/** Like `findScheduledMessage`, but also locks the message until the transaction ends. */
export async function lockScheduledMessage(
  tx: Transaction,
  senderId: number,
  id: number,
): Promise<ScheduledMessage | null> {
  const message = await lockOf(tx, senderId, id)
  return message === null || isReminder(message) ? null : message
}

/** Returns the user's reminder, and locks it until the transaction ends. */
export async function lockReminder(tx: Transaction, senderId: number, id: number): Promise<Reminder | null> {
  const message = await lockOf(tx, senderId, id)
  return message !== null && isReminder(message) ? message : null
}

async function lockOf(tx: Transaction, senderId: number, id: number): Promise<ScheduledMessage | null> {
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
 * Returns the message or reminder with the earliest due time in any organization, without failed ones. It may be due
 * already.
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

/** Counts the user's scheduled messages and reminders, including failed ones. */
async function countScheduledMessages(db: Db, senderId: number): Promise<number> {
  const { count } = await db
    .selectFrom('scheduledMessages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('senderId', '=', senderId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const tooManyScheduled = refusal('BAD_REQUEST', 400, 'You can have at most {limit} scheduled messages.')

/** The maximum number of scheduled messages and reminders per user, including failed ones. */
const MAX_SCHEDULED_MESSAGES = 1000

/** Saves a new scheduled message or reminder, unless its sender has too many of them. */
export async function saveWithinLimits<Message extends Omit<ScheduledMessage, 'id' | 'version'>>(
  tx: Transaction,
  message: Message,
): Promise<Message & { id: number; version: number }> {
  if ((await countScheduledMessages(tx.db, message.senderId)) >= MAX_SCHEDULED_MESSAGES)
    throw tooManyScheduled({ limit: MAX_SCHEDULED_MESSAGES })
  const { id, version } = await saveNewScheduledMessage(tx, message)
  await requireTextQuota(tx, 'scheduledMessages', message.senderId)
  return { ...message, id, version }
}

async function saveNewScheduledMessage(
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
