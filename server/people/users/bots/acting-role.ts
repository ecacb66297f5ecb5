import { mapMaybePromise } from '../../../platform/runtime/map-maybe-promise.ts'
import type { Db } from '../../../platform/storage/storage.ts'
import { findUser } from '../queries.ts'
import { botRoleLimit, lowerRole, type Role } from '../role.ts'
import type { User } from '../user.ts'

/** Returns the highest role that a bot of this owner may have. Without an active owner, it is at most member. */
export function highestBotRole(owner: Pick<User, 'role' | 'deactivatedAt'> | null): Role {
  return botRoleLimit(owner && { role: owner.role, isActive: owner.deactivatedAt === null })
}

/**
 * Returns the account with the role that its requests have. A bot never has a higher role than its owner. Bot roles are
 * lowered together with the owner's role, so this check only matters when two changes happen at the same time.
 */
export function withActingRole(db: Db, user: User): User | Promise<User> {
  if (user.botType === null) return user
  const owner = user.botOwnerId === null ? null : findUser(db, user.botOwnerId)
  return mapMaybePromise(owner, (found) => {
    const role = lowerRole(user.role, highestBotRole(found))
    return role === user.role ? user : { ...user, role }
  })
}
