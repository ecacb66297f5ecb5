import { findActiveUsers } from '#channels/audience-queries.ts'
import { findNonViewerIds } from '#groups/visible-users.ts'
import { findActiveUserIds } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'
import { findFirstActiveUserIds } from './queries.ts'

/**
 * The maximum number of recipients of an event when a user comes online. For a larger audience, no event is sent:
 * clients poll, and show the change within a minute.
 */
const MAX_AUDIENCE = 100

/**
 * Returns the ids of the users who receive an event when `user` comes online; empty if the audience would be too large.
 */
export async function findPresenceAudience(db: Db, user: Actor, now: number): Promise<readonly number[]> {
  if (user.realm.settings.presence_disabled) return []
  const audience = db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE
    ? await findUsersWhoCanSee(db, user, now)
    : await findFirstActiveUserIds(db, user.realmId)
  return audience.length > MAX_AUDIENCE ? [] : audience
}

/**
 * Returns the ids of the users who receive an event when `user` starts or stops sharing their presence. Their number is
 * not limited.
 */
export async function findFullPresenceAudience(db: Db, user: Actor, now: number): Promise<readonly number[]> {
  if (user.realm.settings.presence_disabled) return []
  return db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE
    ? findUsersWhoCanSee(db, user, now)
    : findActiveUserIds(db, user.realmId)
}

/** Returns the ids of all active users, except the guests who may not see `user`. */
async function findUsersWhoCanSee(db: Db, user: Actor, now: number): Promise<number[]> {
  const { all, ids } = await findActiveUsers(db, user.realmId)
  const nonViewerIds = await findNonViewerIds(db, user.realm, user, all, now)
  return ids.filter((id) => !nonViewerIds.has(id))
}
