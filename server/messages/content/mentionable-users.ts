import type { MentionedUser } from '../../markdown/scope.ts'
import { defineCache } from '../../storage/cache.ts'
import type { Db } from '../../storage/storage.ts'

/** The active accounts of an organization, to be found by what mentions say. */
export type MentionableUsers = {
  byId: ReadonlyMap<number, MentionedUser>
  /** By name in lower case; of several with one name, the one with the lowest id. */
  byName: ReadonlyMap<string, MentionedUser>
}

const mentionableUsers = defineCache<number, MentionableUsers>({
  dependsOn: ['users'],
  limit: 100,
  async load(db, realmId) {
    const users = await db
      .selectFrom('users')
      .select(['id', 'fullName'])
      .where('realmId', '=', realmId)
      .where('deactivatedAt', 'is', null)
      .orderBy('id', 'desc')
      .execute()
    return {
      byId: new Map(users.map((user) => [user.id, user])),
      byName: new Map(users.map((user) => [user.fullName.toLowerCase(), user])),
    }
  },
})

export function findMentionableUsers(db: Db, realmId: number): MentionableUsers | Promise<MentionableUsers> {
  return mentionableUsers.get(db, realmId)
}
