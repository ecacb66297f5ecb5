import type { Db, Transaction } from '#storage/storage.ts'
import type { User } from '../user.ts'

export async function findPasswordHash(db: Db, userId: number): Promise<string | null> {
  const row = await db.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst()
  return row?.passwordHash ?? null
}

/**
 * Returns whether the account is active and still has this password hash. The account stays locked until the
 * transaction ends.
 */
export async function lockPassword(tx: Transaction, userId: number, passwordHash: string | null): Promise<boolean> {
  const row = await tx.db
    .selectFrom('users')
    .select(['passwordHash', 'deactivatedAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined && row.deactivatedAt === null && row.passwordHash === passwordHash
}

/**
 * Changes the password hash. Returns false and changes nothing if the current hash is not `oldHash`, the address has
 * changed, or the account is deactivated.
 */
export async function replacePasswordHash(
  tx: Transaction,
  { id, deliveryEmail }: User,
  oldHash: string | null,
  passwordHash: string,
): Promise<boolean> {
  const changed = await tx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', id)
    .where('passwordHash', oldHash === null ? 'is' : '=', oldHash)
    .where('deliveryEmail', '=', deliveryEmail)
    .where('deactivatedAt', 'is', null)
    .returning('id')
    .execute()
  return changed.length > 0
}
