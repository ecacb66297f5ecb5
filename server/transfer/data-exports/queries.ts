import type { Db } from '#storage/storage.ts'

/** Returns whether the organization has more than `limit` messages. Reads no further messages. */
export async function hasMoreMessagesThan(db: Db, realmId: number, limit: number): Promise<boolean> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('realmId', '=', realmId)
    .orderBy('id')
    .offset(limit)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
