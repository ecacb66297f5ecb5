import { refusal } from '#lib/errors/refusal.ts'
import { findTextUsage, requireTextQuota } from '#people/users/text-quota.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type MessageRequest, prepareMessage } from '../sending/prepare-message.ts'
import { lockScheduledMessage, saveScheduledMessage } from './queries.ts'
import {
  emitScheduledMessageUpdate,
  noSuchScheduledMessage,
  notInFuture,
  requireScheduledMessage,
  toFields,
} from './schedule-message.ts'
import type { ScheduledMessage } from './scheduled-message.ts'
import { type RecipientType, requireScheduledTarget } from './target.ts'

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
