import { requireReadableChannel } from '#channels/access.ts'
import { requireTopic } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { isVisible } from '#people/users/user.ts'
import { requireContent } from '../content/content.ts'
import { invalidUserId, requireDirectRecipients } from '../sending/direct-recipients.ts'
import type { Draft, DraftType } from './draft.ts'

export const oneDraftChannelOnly = refusal(
  'BAD_REQUEST',
  400,
  'Must specify exactly 1 channel ID for channel messages',
  {
    field: 'to',
  },
)
export const negativeTimestamp = refusal('BAD_REQUEST', 400, 'Timestamp must not be negative.')

export type DraftRequest = {
  type: DraftType
  to: readonly number[]
  topic: string
  content: string
  timestamp?: number | null | undefined
}

/** Returns the draft in the form in which it is stored. Refuses channels and users that the actor cannot see. */
export async function requireDraft(viewer: Viewer, request: DraftRequest): Promise<Omit<Draft, 'id'>> {
  const { now } = viewer
  const content = requireContent(request.content)
  const editedAt = request.timestamp ?? now
  if (editedAt < 0) throw negativeTimestamp()
  if (request.type === 'stream') {
    const topic = requireTopic(request.topic)
    const [channelId] = request.to
    if (channelId === undefined || request.to.length > 1) throw oneDraftChannelOnly()
    await requireReadableChannel(viewer, channelId)
    return { type: 'stream', recipientIds: [channelId], topic, content, editedAt }
  }
  const recipientIds = request.type === 'private' ? await requireRecipients(viewer, request.to) : []
  return { type: recipientIds.length > 0 ? 'private' : '', recipientIds, topic: '', content, editedAt }
}

async function requireRecipients(viewer: Viewer, ids: readonly number[]): Promise<number[]> {
  const { actor } = viewer
  if (ids.length === 0) return []
  const people = await requireDirectRecipients(viewer, ids)
  const visibleIds = await viewer.visibleIds()
  const hidden = people.find((user) => user.realmId === actor.realmId && !isVisible(visibleIds, user))
  if (hidden !== undefined) throw invalidUserId({ id: hidden.id })
  const others = people.filter((user) => user.id !== actor.id)
  return (others.length > 0 ? others : people).map((user) => user.id)
}
