import { mapMaybePromise } from '../../../platform/runtime/map-maybe-promise.ts'
import type { Db } from '../../../platform/storage/storage.ts'
import { findUser } from '../queries.ts'
import { Role } from '../role.ts'
import type { User } from '../user.ts'

/** The highest role that a bot of this owner may have. Without an active owner that is a member's. */
export function highestBotRole(owner: Pick<User, 'role' | 'deactivatedAt'> | null): Role {
  if (owner === null) return Role.member
  return owner.deactivatedAt === null ? owner.role : lowerRole(owner.role, Role.member)
}

/** The role that can do less, which is the larger number. */
export const lowerRole = (one: Role, other: Role): Role => (one > other ? one : other)

/**
 * The account with the role that it acts with. A bot never does what its owner may not, whatever its row says: roles
 * of bots are lowered with those of their owners, and this holds where two changes at once have missed each other.
 */
export function withActingRole(db: Db, user: User): User | Promise<User> {
  if (user.botType === null) return user
  const owner = user.botOwnerId === null ? null : findUser(db, user.botOwnerId)
  return mapMaybePromise(owner, (found) => {
    const role = lowerRole(user.role, highestBotRole(found))
    return role === user.role ? user : { ...user, role }
  })
}
