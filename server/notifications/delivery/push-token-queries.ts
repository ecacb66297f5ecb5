import type { Db, Transaction } from '#storage/storage.ts'

/** The push service of a device: Apple's or Google's. */
export type PushService = 'apns' | 'fcm'

export async function savePushToken(
  tx: Transaction,
  userId: number,
  { service, token, appId }: { service: PushService; token: string; appId: string | null },
): Promise<void> {
  await tx
    .insertInto('pushTokens')
    .values({ userId, service, token, appId, addedAt: tx.now })
    .onConflict((on) => on.columns(['userId', 'service', 'token']).doUpdateSet({ appId }))
    .execute()
}

/** Deletes a token. Returns false if the user did not have it. */
export async function deletePushToken(
  tx: Transaction,
  userId: number,
  { service, token }: { service: PushService; token: string },
): Promise<boolean> {
  const row = await tx
    .deleteFrom('pushTokens')
    .where('userId', '=', userId)
    .where('service', '=', service)
    .where('token', '=', token)
    .returning('token')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns whether one of the user's devices has this token, with either service. */
export async function hasPushToken(db: Db, userId: number, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('pushTokens')
    .select('token')
    .where('userId', '=', userId)
    .where('token', '=', token)
    .executeTakeFirst()
  return row !== undefined
}
