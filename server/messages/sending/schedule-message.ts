import { refusal } from '#lib/errors.ts'
import type { Actor } from '#people/users.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { missingTopic } from '../access.ts'
import { type MessageRequest, type PreparedMessage, prepareMessage } from '../prepare-message.ts'
import {
  deleteScheduledMessage,
  findScheduledMessage,
  lockScheduledMessage,
  type ScheduledMessage,
  saveScheduledMessage,
  saveWithinLimits,
  toScheduledMessageJson,
} from '../scheduled-messages.ts'
import { findTextUsage, requireTextQuota } from '../text-quota.ts'

export const badChannelId = refusal('BAD_REQUEST', 400, 'Invalid data type for channel ID', { field: 'to' })
export const badScheduledRecipients = refusal('BAD_REQUEST', 400, 'Invalid data type for recipients', { field: 'to' })
export const onlyUserIds = refusal('BAD_REQUEST', 400, 'Recipient list may only contain user IDs', { field: 'to' })

export type RecipientType = 'channel' | 'direct'

/** Returns the target of a message. `to` is parsed JSON from the client. It must contain ids. */
export function requireScheduledTarget(
  type: RecipientType,
  to: unknown,
  topic: string | undefined,
): MessageRequest['to'] {
  if (type === 'direct') return { people: requireUserIds(to) }
  if (typeof to !== 'number' || !Number.isInteger(to)) throw badChannelId()
  if (topic === undefined) throw missingTopic()
  return { channel: to, topic }
}

function requireUserIds(to: unknown): number[] {
  if (!Array.isArray(to)) throw badScheduledRecipients()
  if (!to.every((id): id is number => Number.isInteger(id))) throw onlyUserIds()
  return [...new Set(to)]
}

export const noSuchScheduledMessage = refusal('BAD_REQUEST', 404, 'Scheduled message does not exist')
export const notInFuture = refusal('BAD_REQUEST', 400, 'Scheduled delivery time must be in the future.', {
  field: 'scheduled_delivery_timestamp',
})

/** Saves the message until it is due. Returns the id of the scheduled message. */
export async function scheduleMessage(tx: Transaction, prepared: PreparedMessage, dueAt: number): Promise<number> {
  const { user, realm } = prepared.author
  const message = await saveWithinLimits(tx, {
    realmId: realm.id,
    senderId: user.id,
    ...toFields(prepared),
    client: prepared.client,
    isReadBySender: prepared.isReadBySender,
    dueAt,
    failedAt: null,
    reminderOf: null,
  })
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

async function requireScheduledMessage(db: Db, actor: Actor, id: number): Promise<ScheduledMessage> {
  const message = await findScheduledMessage(db, actor.id, id)
  if (message === null) throw noSuchScheduledMessage()
  return message
}

/** Returns those fields of a scheduled message that come from a prepared message. */
function toFields({
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

export const emptyScheduledMessageChange = refusal('BAD_REQUEST', 400, 'Nothing to change')
export const recipientRequired = refusal(
  'BAD_REQUEST',
  400,
  'Recipient required when updating type of scheduled message.',
  { field: 'to' },
)
export const topicRequired = refusal(
  'BAD_REQUEST',
  400,
  'Topic required when updating scheduled message type to stream.',
  { field: 'topic' },
)

type ChangeRequest = {
  type?: RecipientType | undefined
  /** Parsed JSON from the client. `type` determines which values are valid. */
  to?: unknown
  topic?: string | undefined
  content?: string | undefined
  dueAt?: number | undefined
  client: string
}

/** A validated change with rendered content. */
type PreparedChange = {
  actor: Actor
  request: ChangeRequest
  /** The message as it was when the change was prepared. */
  original: ScheduledMessage
  changed: Partial<ScheduledMessage>
}

/**
 * Validates the change and renders the content. The recipients are checked only if the recipients or the content
 * change.
 */
export async function prepareChange(
  db: Db,
  actor: Actor,
  id: number,
  request: ChangeRequest,
  now: number,
): Promise<PreparedChange> {
  requireValidChange(request, now)
  const original = await requireScheduledMessage(db, actor, id)
  return prepareChangeOf(db, actor, original, request, now)
}

/** Applies the change. A failed message is scheduled again. */
export async function changeScheduledMessage(tx: Transaction, prepared: PreparedChange): Promise<void> {
  const { actor, request, original } = prepared
  const current = await lockScheduledMessage(tx, actor.id, original.id)
  if (current === null) throw noSuchScheduledMessage()
  const isSame = current.version === original.version
  const { changed } = isSame ? prepared : await prepareChangeOf(tx.db, actor, current, request, tx.now)
  const usedSpace = await findTextUsage(tx, 'scheduledMessages', actor.id)
  const message = await saveScheduledMessage(tx, current, changed)
  await requireTextQuota(tx, 'scheduledMessages', actor.id, usedSpace)
  if (message !== null) emitScheduledMessageUpdate(tx, message)
}

function requireValidChange({ type, to, topic, content, dueAt }: ChangeRequest, now: number): void {
  const isEmpty = [type, to, topic, content, dueAt].every((value) => value === undefined)
  if (isEmpty) throw emptyScheduledMessageChange()
  if (type !== undefined && to === undefined) throw recipientRequired()
  if (type === 'channel' && topic === undefined) throw topicRequired()
  if (dueAt !== undefined && dueAt <= now) throw notInFuture()
}

async function prepareChangeOf(
  db: Db,
  actor: Actor,
  original: ScheduledMessage,
  request: ChangeRequest,
  now: number,
): Promise<PreparedChange> {
  const { to, topic, content, dueAt = original.dueAt, client } = request
  if (original.failedAt !== null && request.dueAt === undefined) throw notInFuture()
  const isMoved = to !== undefined || (topic !== undefined && original.channelId !== null)
  const message =
    isMoved || content !== undefined
      ? toFields(await prepareMessage(db, actor, toMessageRequest(original, request), now))
      : {}
  return { actor, request, original, changed: { ...message, client, dueAt, failedAt: null } }
}

function toMessageRequest(original: ScheduledMessage, request: ChangeRequest): MessageRequest {
  const type = request.type ?? (original.channelId === null ? 'direct' : 'channel')
  const to = request.to ?? original.channelId ?? original.recipientIds
  return {
    to: requireScheduledTarget(type, to, request.topic ?? original.topic),
    content: request.content ?? original.content,
    client: request.client,
    isReadBySender: original.isReadBySender,
    localEcho: null,
  }
}
