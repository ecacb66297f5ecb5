import { refusal } from '#lib/errors/refusal.ts'
import type { MessageRequest } from '../sending/prepare-message.ts'
import { missingTopic } from '../topic-access.ts'

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
