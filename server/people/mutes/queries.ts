import { defineCache } from '../../platform/storage/cache.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'

export type MutedUser = { mutedUserId: number; mutedAt: number }

/** Whom the user mutes, the one muted last at the end. */
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

/** The ids of those who mute the user. */
export function findMuterIds(db: Db, mutedUserId: number): ReadonlySet<number> | Promise<ReadonlySet<number>> {
  return muterIds.get(db, mutedUserId)
}

/** Whether the user was not muted until now. */
export async function saveMutedUser(tx: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
  const row = await tx
    .insertInto('mutedUsers')
    .values({ userId, mutedUserId, mutedAt: tx.now })
    .onConflict((on) => on.doNothing())
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the user was muted until now. */
export async function deleteMutedUser(tx: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('mutedUsers')
    .where('userId', '=', userId)
    .where('mutedUserId', '=', mutedUserId)
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}
