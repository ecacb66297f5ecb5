import type { Db, Transaction } from '../../../platform/storage/storage.ts'
import type { User } from '../user.ts'

export async function findPasswordHash(db: Db, userId: number): Promise<string | null> {
  const row = await db.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst()
  return row?.passwordHash ?? null
}

/** Whether the account is active and still has this password; until the transaction ends it stays so. */
export async function lockPassword(tx: Transaction, userId: number, passwordHash: string | null): Promise<boolean> {
  const row = await tx.db
    .selectFrom('users')
    .select(['passwordHash', 'deactivatedAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined && row.deactivatedAt === null && row.passwordHash === passwordHash
}

/** Gives the account another password unless it has another one than `oldHash` already, or another address. */
export async function replacePasswordHash(
  tx: Transaction,
  { id, deliveryEmail }: User,
  oldHash: string | null,
  passwordHash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', id)
    .where('passwordHash', oldHash === null ? 'is' : '=', oldHash)
    .where('deliveryEmail', '=', deliveryEmail)
    .where('deactivatedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
