import { refusal } from '../base/refusal.ts'
import { hasContentAccess } from '../channels/access.ts'
import type { Channel } from '../channels/channel.ts'
import { findChannel } from '../channels/queries.ts'
import { membershipScope } from '../groups/membership.ts'
import type { Db } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { findMessageFor } from './fetch.ts'
import type { FoundMessage } from './message.ts'
import type { Place } from './message-setting.ts'

export const invalidMessage = refusal('BAD_REQUEST', 400, 'Invalid message(s)')

/** A message that the actor may read, and where it stands. */
export type ReadableMessage = { message: FoundMessage; place: Place }

/** The message, if the actor may read it. One they may not read is refused exactly like one that does not exist. */
export async function requireMessage(db: Db, actor: Actor, id: number, now: number): Promise<ReadableMessage> {
  const message = await findMessageFor(db, actor.id, id)
  if (message === null || message.realmId !== actor.realmId) throw invalidMessage()
  const { conversation } = message
  if (conversation !== null) {
    if (message.flags === null) throw invalidMessage()
    return { message, place: { channel: null, conversation } }
  }
  const channel = await findChannel(db, actor.realmId, message.channelId ?? 0)
  if (channel === null || !(await mayRead(db, actor, message, channel, now))) throw invalidMessage()
  return { message, place: { channel } }
}

/** As `requireMessage`, but what is in an archived channel is refused, too: nothing changes there. */
export async function requireChangeableMessage(
  db: Db,
  actor: Actor,
  id: number,
  now: number,
): Promise<ReadableMessage> {
  const readable = await requireMessage(db, actor, id, now)
  if (isArchived(readable.place)) throw invalidMessage()
  return readable
}

const isArchived = ({ channel }: Place) => channel !== null && channel.archivedAt !== null

async function mayRead(db: Db, actor: Actor, message: FoundMessage, channel: Channel, now: number): Promise<boolean> {
  if (isReceivedOnly(channel) && message.flags === null) return false
  if (message.isSubscribed) return true
  return hasContentAccess(await membershipScope(db, actor, now), actor, channel, false)
}

/** Whether people read in the channel only what they have received. */
export function isReceivedOnly(channel: Channel): boolean {
  return channel.isPrivate && !channel.isHistoryShared
}
