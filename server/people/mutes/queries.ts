import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

export type MutedUser = { mutedUserId: number; mutedAt: number }

/** Returns the users whom this user has muted, in the order in which they were muted. */
export function findMutedUsers(db: Db, userId: number): Promise<MutedUser[]> {
  return db
    .selectFrom('mutedUsers')
    .select(['mutedUserId', 'mutedAt'])
    .where('userId', '=', userId)
    .orderBy('mutedAt')
    .orderBy('mutedUserId')
    .execute()
}

const muterIds = defineCache<number, ReadonlySet<number>>({
  dependsOn: ['mutedUsers'],
  limit: 20_000,
  async load(db, mutedUserId) {
    const rows = await db.selectFrom('mutedUsers').select('userId').where('mutedUserId', '=', mutedUserId).execute()
    return new Set(rows.map((row) => row.userId))
  },
})

/** Returns the ids of the users who have muted this user. */
export function findMuterIds(db: Db, mutedUserId: number): ReadonlySet<number> | Promise<ReadonlySet<number>> {
  return muterIds.get(db, mutedUserId)
}

/** Saves a mute. Returns false if the user was already muted. */
export async function saveMutedUser(tx: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
  const row = await tx
    .insertInto('mutedUsers')
    .values({ userId, mutedUserId, mutedAt: tx.now })
    .onConflict((on) => on.doNothing())
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a mute. Returns false if the user was not muted. */
export async function deleteMutedUser(tx: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('mutedUsers')
    .where('userId', '=', userId)
    .where('mutedUserId', '=', mutedUserId)
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}
