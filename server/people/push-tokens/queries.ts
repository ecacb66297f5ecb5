import type { Db, Transaction } from '../../platform/storage/storage.ts'

/** Whose service reaches the device: Apple's or Google's. */
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

/** Whether the user had it until now. */
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

/** Whether one of the user's devices has this token, of whatever service. */
export async function hasPushToken(db: Db, userId: number, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('pushTokens')
    .select('token')
    .where('userId', '=', userId)
    .where('token', '=', token)
    .executeTakeFirst()
  return row !== undefined
}
