import type { Db, Transaction } from '#storage/storage.ts'

/** Returns the hidden presence that is to be shown again next; null if there is none. */
export async function findNextHiddenPresence(
  db: Db,
): Promise<{ userId: number; realmId: number; dueAt: number } | null> {
  const row = await db
    .selectFrom('hiddenPresences')
    .innerJoin('users', 'users.id', 'hiddenPresences.userId')
    .select(['hiddenPresences.userId', 'hiddenPresences.endsAt as dueAt', 'users.realmId'])
    .orderBy('hiddenPresences.endsAt')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/**
 * If the time at which the user's presence is shown again has passed, deletes it and returns true. Waits for a
 * concurrent change of the time.
 */
export async function deleteEndedHiddenPresence(tx: Transaction, userId: number): Promise<boolean> {
  const rows = await tx
    .deleteFrom('hiddenPresences')
    .where('userId', '=', userId)
    .where('endsAt', '<=', tx.now)
    .returning('userId')
    .execute()
  return rows.length > 0
}

/** Saves the time at which the user's presence will be shown again. If `endsAt` is null, deletes a saved time. */
export async function saveHiddenPresence(tx: Transaction, userId: number, endsAt: number | null): Promise<void> {
  if (endsAt === null) {
    await tx.deleteFrom('hiddenPresences').where('userId', '=', userId).execute()
    return
  }
  await tx
    .insertInto('hiddenPresences')
    .values({ userId, endsAt })
    .onConflict((on) => on.column('userId').doUpdateSet({ endsAt }))
    .execute()
}
