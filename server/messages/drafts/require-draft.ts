import { requireReadableChannel } from '../../channels/access.ts'
import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { type Actor, isVisible } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { requireContent } from '../content/content.ts'
import { invalidUserId, requireDirectRecipients } from '../sending/direct-recipients.ts'
import { requireTopic } from '../topic.ts'
import type { Draft, DraftType } from './draft.ts'

export const oneChannelOnly = refusal('BAD_REQUEST', 400, 'Must specify exactly 1 channel ID for channel messages', {
  field: 'to',
})
export const negativeTimestamp = refusal('BAD_REQUEST', 400, 'Timestamp must not be negative.')

export type DraftRequest = {
  type: DraftType
  to: readonly number[]
  topic: string
  content: string
  timestamp?: number | null | undefined
}

/** Returns the draft in stored form; refuses channels and users that the actor cannot see. */
export async function requireDraft(
  db: Db,
  actor: Actor,
  request: DraftRequest,
  now: number,
): Promise<Omit<Draft, 'id'>> {
  const content = requireContent(request.content)
  const editedAt = request.timestamp ?? now
  if (editedAt < 0) throw negativeTimestamp()
  if (request.type === 'stream') {
    const topic = requireTopic(request.topic)
    const [channelId] = request.to
    if (channelId === undefined || request.to.length > 1) throw oneChannelOnly()
    await requireReadableChannel(db, actor, channelId, now)
    return { type: 'stream', recipientIds: [channelId], topic, content, editedAt }
  }
  const recipientIds = request.type === 'private' ? await requireRecipients(db, actor, request.to, now) : []
  return { type: recipientIds.length > 0 ? 'private' : '', recipientIds, topic: '', content, editedAt }
}

async function requireRecipients(db: Db, actor: Actor, ids: readonly number[], now: number): Promise<number[]> {
  if (ids.length === 0) return []
  const people = await requireDirectRecipients(db, actor, ids, now)
  const visibleIds = await findVisibleUserIds(db, actor, now)
  const hidden = people.find((user) => user.realmId === actor.realmId && !isVisible(visibleIds, user))
  if (hidden !== undefined) throw invalidUserId({ id: hidden.id })
  const others = people.filter((user) => user.id !== actor.id)
  return (others.length > 0 ? others : people).map((user) => user.id)
}
