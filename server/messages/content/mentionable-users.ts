import { findRealmBySubdomain } from '../../organizations/realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '../../organizations/realms/realm.ts'
import type { User } from '../../people/users/user.ts'
import type { MentionedUser } from '../../platform/markdown/scope.ts'
import { defineCache } from '../../platform/storage/cache.ts'
import type { Db } from '../../platform/storage/storage.ts'

export type MentionableUser = MentionedUser & Pick<User, 'botType'>

/** The users whom mentions can name: the users of an organization, including deactivated ones, and the system bots. */
type MentionableUsers = {
  byId: ReadonlyMap<number, MentionableUser>
  /**
   * The users by name in lower case. If several users have the same name, users of the organization take precedence
   * over system bots, then active users over deactivated ones, then the lowest id.
   */
  byName: ReadonlyMap<string, MentionableUser>
}

const mentionableUsers = defineCache<number, MentionableUsers>({
  dependsOn: ['users'],
  limit: 100,
  async load(db, realmId) {
    const systemRealm = await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN)
    const rows = await db
      .selectFrom('users')
      .select(['id', 'fullName', 'botType', 'deactivatedAt'])
      .where('realmId', 'in', [realmId, systemRealm?.id ?? realmId])
      .orderBy((is) => is('realmId', '=', realmId))
      .orderBy((is) => is('deactivatedAt', 'is', null))
      .orderBy('id', 'desc')
      .execute()
    const users = rows.map(({ id, fullName, botType, deactivatedAt }) => {
      return { id, fullName, botType, isSilent: deactivatedAt !== null }
    })
    return {
      byId: new Map(users.map((user) => [user.id, user])),
      byName: new Map(users.map((user) => [user.fullName.toLowerCase(), user])),
    }
  },
})

export function findMentionableUsers(db: Db, realmId: number): MentionableUsers | Promise<MentionableUsers> {
  return mentionableUsers.get(db, realmId)
}
