import type { Db } from '../storage/storage.ts'

/** The id of the newest message that was delivered to somebody. */
export async function findNewestMessageId(db: Db, userId: number): Promise<number | null> {
  const row = await db
    .selectFrom('userMessages')
    .select('messageId')
    .where('userId', '=', userId)
    .orderBy('messageId', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.messageId ?? null
}
