import { findChannelSubscriberIds } from '../../channels/audience-queries.ts'
import { findNonViewerIds } from '../../groups/visible-users.ts'
import { findUsersById } from '../../people/users/queries.ts'
import type { Actor, User } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'

/** In a channel of more subscribers nobody is told who types: it would be a flood. */
export const MAX_SUBSCRIBERS = 100

/** Those of the accounts who are told that the actor types: others than the actor, active, and not unwilling. */
export function typingAudienceAmong(actor: Actor, users: readonly User[]): number[] {
  return users
    .filter((user) => user.id !== actor.id && user.realmId === actor.realmId && user.deactivatedAt === null)
    .filter((user) => user.settings.receives_typing_notifications)
    .map((user) => user.id)
}

/** The subscribers of the channel who are told; nobody whom the actor is unknown to. */
export async function findChannelTypingAudience(
  db: Db,
  actor: Actor,
  channelId: number,
  now: number,
): Promise<number[]> {
  const subscriberIds = await findChannelSubscriberIds(db, channelId)
  if (subscriberIds.length > MAX_SUBSCRIBERS) return []
  const users = await findUsersById(db, subscriberIds)
  const strangers = await findNonViewerIds(db, actor.realm, actor, users, now)
  return typingAudienceAmong(
    actor,
    users.filter((user) => !strangers.has(user.id)),
  )
}
