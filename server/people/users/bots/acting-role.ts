import { mapMaybePromise } from '#lib/runtime/map-maybe-promise.ts'
import { botRoleLimit, lowerRole, type Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { findUser } from '../queries.ts'
import type { User } from '../user.ts'

/**
 * Returns the highest role that a bot of this owner may have. If the owner is null or not active, it is at most member.
 */
export function highestBotRole(owner: Pick<User, 'role' | 'deactivatedAt'> | null): Role {
  return botRoleLimit(owner && { role: owner.role, isActive: owner.deactivatedAt === null })
}

/**
 * Returns the account with the role that applies to its requests. A bot never acts with a higher role than its owner
 * has. When an owner's role is lowered, those of the owner's bots are lowered as well. This check therefore matters
 * only if two changes happen at the same time.
 */
export function withActingRole(db: Db, user: User): User | Promise<User> {
  if (user.botType === null) return user
  const owner = user.botOwnerId === null ? null : findUser(db, user.botOwnerId)
  return mapMaybePromise(owner, (found) => {
    const role = lowerRole(user.role, highestBotRole(found))
    return role === user.role ? user : { ...user, role }
  })
}
