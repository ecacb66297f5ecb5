import { findChannelSubscriberIds } from '#channels/audience-queries.ts'
import { findNonViewerIds } from '#groups/visible-users.ts'
import { findUsersById } from '#people/users/queries.ts'
import type { Actor, User } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'

/** The maximum number of subscribers of a channel with typing events. Larger channels would cause too many events. */
const MAX_SUBSCRIBERS = 100

/**
 * Returns the ids of the users who receive the actor's typing events: active users of the organization, other than the
 * actor, who want such events.
 */
export function typingAudienceAmong(actor: Actor, users: readonly User[]): number[] {
  return users
    .filter((user) => user.id !== actor.id && user.realmId === actor.realmId && user.deactivatedAt === null)
    .filter((user) => user.settings.receives_typing_notifications)
    .map((user) => user.id)
}

/** Returns the subscribers of the channel who receive the actor's typing events and can see the actor. */
export async function findChannelTypingAudience(
  db: Db,
  actor: Actor,
  channelId: number,
  now: number,
): Promise<number[]> {
  const subscriberIds = await findChannelSubscriberIds(db, channelId)
  if (subscriberIds.length > MAX_SUBSCRIBERS) return []
  const users = await findUsersById(db, subscriberIds)
  const nonViewerIds = await findNonViewerIds(db, actor.realm, actor, users, now)
  return typingAudienceAmong(
    actor,
    users.filter((user) => !nonViewerIds.has(user.id)),
  )
}
