import { refusal } from '#lib/errors/refusal.ts'
import { requireTextQuota } from '#people/users/text-quota.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { PreparedMessage } from '../sending/prepare-message.ts'
import {
  countScheduledMessages,
  deleteScheduledMessage,
  findScheduledMessage,
  lockScheduledMessage,
  saveNewScheduledMessage,
} from './queries.ts'
import { type ScheduledMessage, toScheduledMessageJson } from './scheduled-message.ts'

export const noSuchScheduledMessage = refusal('BAD_REQUEST', 404, 'Scheduled message does not exist')
export const notInFuture = refusal('BAD_REQUEST', 400, 'Scheduled delivery time must be in the future.', {
  field: 'scheduled_delivery_timestamp',
})
export const tooManyScheduled = refusal('BAD_REQUEST', 400, 'You can have at most {limit} scheduled messages.')

/** The maximum number of scheduled messages per user, including failed ones. */
const MAX_SCHEDULED_MESSAGES = 1000

/** Saves the message until it is due. Returns the id of the scheduled message. */
export async function scheduleMessage(tx: Transaction, prepared: PreparedMessage, dueAt: number): Promise<number> {
  const { user, realm } = prepared.author
  if ((await countScheduledMessages(tx.db, user.id)) >= MAX_SCHEDULED_MESSAGES)
    throw tooManyScheduled({ limit: MAX_SCHEDULED_MESSAGES })

  const message = await saveNewScheduledMessage(tx, {
    realmId: realm.id,
    senderId: user.id,
    ...toFields(prepared),
    client: prepared.client,
    isReadBySender: prepared.isReadBySender,
    dueAt,
    failedAt: null,
  })
  await requireTextQuota(tx, 'scheduledMessages', user.id)
  const scheduled_messages = [toScheduledMessageJson(message)]
  tx.emit(realm.id, { type: 'scheduled_messages', op: 'add', scheduled_messages }, [user.id])
  return message.id
}

export async function cancelScheduledMessage(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const message = await lockScheduledMessage(tx, actor.id, id)
  if (message === null) throw noSuchScheduledMessage()
  await deleteScheduledMessage(tx, message)
  emitScheduledMessageRemoval(tx, message)
}

export function emitScheduledMessageRemoval(tx: Transaction, { realmId, senderId, id }: ScheduledMessage): void {
  tx.emit(realmId, { type: 'scheduled_messages', op: 'remove', scheduled_message_id: id }, [senderId])
}

export function emitScheduledMessageUpdate(tx: Transaction, message: ScheduledMessage): void {
  const scheduled_message = toScheduledMessageJson(message)
  tx.emit(message.realmId, { type: 'scheduled_messages', op: 'update', scheduled_message }, [message.senderId])
}

export async function requireScheduledMessage(db: Db, actor: Actor, id: number): Promise<ScheduledMessage> {
  const message = await findScheduledMessage(db, actor.id, id)
  if (message === null) throw noSuchScheduledMessage()
  return message
}

/** Returns those fields of a scheduled message that come from a prepared message. */
export function toFields({
  author,
  target,
  content,
  rendering,
}: PreparedMessage): Pick<ScheduledMessage, 'channelId' | 'recipientIds' | 'topic' | 'content' | 'renderedContent'> {
  const text = { content, renderedContent: rendering.html }
  if (target.channel !== null) return { channelId: target.channel.id, recipientIds: [], topic: target.topic, ...text }
  const others = target.people.filter((user) => user.id !== author.user.id)
  const recipients = others.length > 0 ? others : target.people
  return { channelId: null, recipientIds: recipients.map((user) => user.id), topic: '', ...text }
}
