import { findActiveUsers } from '../channels/audience-queries.ts'
import { findNonViewerIds } from '../groups/visible-users.ts'
import { findActiveUserIds } from '../people/users/queries.ts'
import type { Actor } from '../people/users/user.ts'
import type { Db } from '../platform/storage/storage.ts'
import { findFirstActiveUserIds } from './queries.ts'

/** Beyond so many hearers nobody is told that somebody came: clients poll, and learn of it within a minute. */
const MAX_AUDIENCE = 100

/** The ids of those who are told by an event that `user` came; nobody where they would be too many. */
export async function findPresenceAudience(db: Db, user: Actor, now: number): Promise<readonly number[]> {
  if (user.realm.settings.presence_disabled) return []
  const hearers = db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE
    ? await findUsersWhoCanSee(db, user, now)
    : await findFirstActiveUserIds(db, user.realmId)
  return hearers.length > MAX_AUDIENCE ? [] : hearers
}

/** The ids of those who are told by an event that `user` stopped or began to share their presence: however many. */
export async function findFullPresenceAudience(db: Db, user: Actor, now: number): Promise<readonly number[]> {
  if (user.realm.settings.presence_disabled) return []
  return db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE
    ? findUsersWhoCanSee(db, user, now)
    : findActiveUserIds(db, user.realmId)
}

/** Everybody but guests to whom the user is a stranger. */
async function findUsersWhoCanSee(db: Db, user: Actor, now: number): Promise<number[]> {
  const { all, ids } = await findActiveUsers(db, user.realmId)
  const strangers = await findNonViewerIds(db, user.realm, user, all, now)
  return ids.filter((id) => !strangers.has(id))
}
